import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCertificate } from './certificate.ts';

const kept = fileURLToPath(new URL('../../../test/fixtures/certificates/', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tuic-cert-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (cert: string, key: string) => readCertificate({ certPath: join(kept, cert), keyPath: join(kept, key) });

describe('certificate of the remote listener', () => {
  it('is read with its key; another one has another digest', async () => {
    const own = await read('own.cert.pem', 'own.key.pem');
    expect(own.expiresAt).toBeGreaterThan(Date.parse('2100-01-01'));
    expect((await read('own.cert.pem', 'own.key.pem')).digest).toBe(own.digest);
    expect((await read('other.cert.pem', 'other.key.pem')).digest).not.toBe(own.digest);
  });

  it('that cannot be used says which setting is wrong and why, and nothing of the key', async () => {
    const secret = (await readFile(join(kept, 'own.key.pem'), 'utf8')).split('\n')[1] ?? '';
    await writeFile(join(folder, 'cut.pem'), `-----BEGIN PRIVATE KEY-----\n${secret}`);
    for (const [cert, key, reason] of [
      ['missing.pem', 'own.key.pem', /cert_path: there is no file/],
      ['own.cert.pem', 'missing.pem', /key_path: there is no file/],
      ['', 'own.key.pem', /cert_path: .* cannot be read/],
      ['own.key.pem', 'own.key.pem', /cert_path: .* holds no certificate/],
      ['own.cert.pem', 'own.cert.pem', /key_path: .* holds no private key/],
      ['own.cert.pem', 'locked.key.pem', /key_path: .* without a passphrase/],
      ['own.cert.pem', 'other.key.pem', /key_path: .* does not belong/],
      ['own.cert.pem', join('..', '..', '..', '..', '..', folder, 'cut.pem'), /key_path: /],
    ] as const) {
      const refusal = await read(cert, key).catch((error: Error) => error);
      expect(refusal).toMatchObject({ code: 'certificate_unusable', message: expect.stringMatching(reason) });
      expect(String(refusal)).not.toContain(secret);
    }
  });
});

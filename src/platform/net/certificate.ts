/** Reads the certificate of the remote listener and says in one sentence what is wrong with it. Nothing of the key is ever told. */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { AppError, LIMITS } from '../../contract/index.ts';
import { readSmallFile } from '../fs/index.ts';
import { describeError } from './errors.ts';

export interface CertificatePaths {
  /** Absolute. PEM: the certificate, then its chain. */
  certPath: string;
  /** Absolute. PEM, without a passphrase. */
  keyPath: string;
}

export interface Certificate {
  cert: Buffer;
  key: Buffer;
  /** Another one for another certificate or key. */
  digest: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

function unusable(detail: string): AppError {
  return new AppError('certificate_unusable', { detail });
}

async function read(name: string, path: string): Promise<Buffer> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readSmallFile(path, LIMITS.configFile);
  } catch (error) {
    throw unusable(`${name}: ${path} cannot be read (${describeError(error)})`);
  }
  if (bytes === undefined) throw unusable(`${name}: there is no file ${path}`);
  return bytes;
}

function parse<T>(detail: string, work: () => T): T {
  try {
    return work();
  } catch {
    // What the library says about a key that it cannot read helps nobody, and may quote it.
    throw unusable(detail);
  }
}

/** Throws certificate_unusable. An expired certificate is usable: whoever connects decides. */
export async function readCertificate({ certPath, keyPath }: CertificatePaths): Promise<Certificate> {
  const cert = await read('cert_path', certPath);
  const key = await read('key_path', keyPath);
  const x509 = parse(`cert_path: ${certPath} holds no certificate (PEM)`, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse(
    `key_path: ${keyPath} holds no private key that can be read without a passphrase (PEM)`,
    () => createPrivateKey(key),
  );
  if (!x509.checkPrivateKey(privateKey)) {
    throw unusable(`key_path: the key in ${keyPath} does not belong to the certificate in ${certPath}`);
  }
  // Loaded here: few servers speak TLS, and all of them have to start quickly.
  const { createSecureContext } = await import('node:tls');
  parse(`cert_path: the certificates in ${certPath} and the key in ${keyPath} are refused by the TLS library`, () =>
    createSecureContext({ cert, key }),
  );
  const digest = createHash('sha256').update(cert).update('\0').update(key).digest('base64url');
  return { cert, key, digest, expiresAt: Date.parse(x509.validTo) };
}

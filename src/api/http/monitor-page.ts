/**
 * Serves the page of the process monitor (http.md 7): one document, which asks nobody but this server. Its policy allows exactly the one
 * script and the one style that stand in it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../contract/index.ts';

function hashOf(html: string, element: 'script' | 'style'): string {
  const text = new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`).exec(html)?.[1] ?? '';
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export function monitorPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export async function serveMonitor(reply: FastifyReply, path: string | undefined): Promise<FastifyReply> {
  const html = path === undefined ? undefined : await readPage(path);
  if (html === undefined) throw new AppError('not_found', { what: 'the page of the monitor. Run "npm run build"' });
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', monitorPolicy(html))
    .header('cache-control', 'no-cache')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .send(html);
}

async function readPage(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

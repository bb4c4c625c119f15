/**
 * Serves what a tab of an agent shows, under the ticket of the tab (http.md 6.1). Whatever it is, it runs without an origin: by the frame
 * in the workspace, and by the policy here when it is opened by itself. The page in a tab shows files and runs scripts from its folder, as
 * from a disk, but cannot read them: the door refuses every request of another origin that would (authentication.ts).
 */
import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, LIMITS } from '../../contract/index.ts';
import type { AgentTabs, TabContent } from '../../domain/ui/index.ts';

const TEXT = 'text/plain; charset=utf-8';
const PICTURES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
const PAGES: Readonly<Record<string, string>> = {
  ...PICTURES,
  '.css': 'text/css; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
};

function typeOf(types: Readonly<Record<string, string>>, name: string): string {
  const extension = extname(name).toLowerCase();
  return Object.hasOwn(types, extension) ? (types[extension] ?? TEXT) : TEXT;
}

export async function serveTabFile(
  request: FastifyRequest,
  reply: FastifyReply,
  tabs: Pick<AgentTabs, 'read'>,
): Promise<FastifyReply> {
  const { ticket = '', '*': rest = '' } = request.params as { ticket?: string; '*'?: string };
  const content = await tabs.read(ticket, rest);
  const isPreview = content.kind === 'file' && content.isPreview;
  void reply
    .header('content-security-policy', isPreview ? 'sandbox' : 'sandbox allow-scripts')
    .header('x-content-type-options', 'nosniff')
    // The address holds the ticket.
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store');
  return send(reply, content);
}

async function send(reply: FastifyReply, content: TabContent): Promise<FastifyReply> {
  if (content.kind === 'html') return reply.header('content-type', 'text/html; charset=utf-8').send(content.html);
  const { file, name, isPreview } = content;
  const type = typeOf(isPreview ? PICTURES : PAGES, name);
  if (isPreview && type === TEXT && file.size > LIMITS.tabPreview) {
    await file.close();
    throw new AppError('invalid_input', {
      detail: `the text is too large for the preview (${LIMITS.tabPreview} bytes)`,
    });
  }
  return reply.header('content-type', type).send(file.read());
}

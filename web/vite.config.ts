import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const contract = fileURLToPath(new URL('../src/contract/', import.meta.url));

const page = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server of a development run; `npm start` serves the built pages itself. */
const server = `http://127.0.0.1:${process.env.TUIC_PORT ?? '9876'}`;

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Files stay files: the content security policy allows no data: scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [page('index.html'), page('mobile.html'), page('api/index.html')],
      // The contract's schemas run on the server only; without this the page would carry zod for a few constants.
      treeshake: { moduleSideEffects: (id) => !id.startsWith(contract) },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/sessions', '/events', '/health', '/login', '/ui', '/api/version', '/api/auth', '/docs'].map((path) => [
        path,
        { target: server, ws: true },
      ]),
    ),
  },
});

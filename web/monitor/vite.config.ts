import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const contract = fileURLToPath(new URL('../../src/contract/', import.meta.url));

/** Puts script and style into the page: it must stand alone, and its policy names them by their hashes. */
function inOneFile(): Plugin {
  return {
    name: 'in-one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith('.html'));
      if (page?.type !== 'asset') throw new Error('there is no page');
      const parts = Object.values(bundle).filter((part) => part !== page);
      let html = String(page.source);
      const replace = (pattern: RegExp, text: string) => {
        if (!pattern.test(html)) throw new Error(`the page has nothing like ${pattern}`);
        html = html.replace(pattern, () => text);
      };
      for (const part of parts) {
        if (part.type === 'chunk') {
          const code = part.code.trim().replaceAll('</script', '<\\/script');
          replace(/<script type="module"[^>]*><\/script>/, `<script type="module">${code}</script>`);
        } else replace(/<link rel="stylesheet"[^>]*>/, `<style>${String(part.source).trim()}</style>`);
        delete bundle[part.fileName];
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  plugins: [inOneFile()],
  build: {
    outDir: fileURLToPath(new URL('../../dist/monitor', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The contract's schemas run on the server only.
      treeshake: { moduleSideEffects: (id) => !id.startsWith(contract) },
      output: { codeSplitting: false },
    },
  },
});

/**
 * The page at /docs/api: the description of the API by Swagger UI, with forms that call this server. The login cookie of the page is
 * the credential, so there is no place to type one. Nothing is asked of any other server.
 */
import 'swagger-ui-dist/swagger-ui.css';
import '../desktop/styles/tokens.css';
import './style.css';
import SwaggerUI, { type Plugin, type SpecState } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { createMemory, readPreferences } from '../shared/preferences.ts';

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');

/** As the workspace looks in this browser. */
function applyTheme(): void {
  const { theme } = readPreferences(createMemory(() => window.localStorage));
  const inForce = theme === 'system' ? (darkScheme.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset.theme = inForce;
  document.documentElement.classList.toggle('dark-mode', inForce !== 'light');
}

function extensionOf(spec: SpecState, path: string, method: string, name: string): string | undefined {
  const value = spec.getIn(['paths', path, method.toLowerCase(), name]);
  return typeof value === 'string' ? value : undefined;
}

const drawNothing = () => null;
const hide = () => drawNothing;

const ours = (): Plugin => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        // A form would wait for the end of a stream.
        allowTryItOutFor:
          (_original, { specSelectors }) =>
          (_state, path, method) =>
            extensionOf(specSelectors.specJson(), path, method, 'x-tuic-stream') === undefined,
      },
    },
  },
  wrapComponents: { authorizeBtn: hide, authorizeOperationBtn: hide, ServersContainer: hide },
});

const place = document.getElementById('api');
if (place === null) throw new Error('the page has no place for the API');

applyTheme();
darkScheme.addEventListener('change', applyTheme);
window.addEventListener('storage', applyTheme);
const ui = SwaggerUI({
  domNode: place,
  url: '/docs/api/openapi.json',
  plugins: [ours],
  docExpansion: 'list',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  syntaxHighlight: false,
});

/** Asks before a form sends what ends something. The click is met on its way down: once the library has it, it counts as sent. */
function askFirst(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest('.btn.execute') : null;
  const block = button?.closest('.opblock');
  const path = block?.querySelector<HTMLElement>('[data-path]')?.dataset.path;
  const method = block?.querySelector('.opblock-summary-method')?.textContent;
  if (path === undefined || method === undefined || method === null) return;
  const question = extensionOf(ui.specSelectors.specJson(), path, method, 'x-tuic-confirm');
  if (question !== undefined && !window.confirm(question)) event.stopPropagation();
}
document.addEventListener('click', askFirst, { capture: true });

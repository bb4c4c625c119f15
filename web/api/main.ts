/**
 * The page at /docs/api: the description of the API by Swagger UI, with forms that call this server. The login cookie of the page is
 * the credential, so there is no place to type one. Nothing is asked of any other server.
 */
import 'swagger-ui-dist/swagger-ui.css';
import '../desktop/styles/tokens.css';
import './style.css';
import SwaggerUI, { type PathAndMethod, type Plugin, type SpecState } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { createMemory, readPreferences } from '../shared/preferences.ts';

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');

/** As the workspace looks in this browser. */
function applyTheme(): void {
  const { theme } = readPreferences(createMemory(() => window.localStorage));
  const inForce = theme === 'system' ? (darkScheme.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset.theme = inForce;
  document.documentElement.classList.toggle('dark-mode', inForce === 'dark');
}

function extensionOf(spec: SpecState, { pathName, method }: PathAndMethod, name: string): string | undefined {
  const value = spec.getIn(['paths', pathName, method.toLowerCase(), name]);
  return typeof value === 'string' ? value : undefined;
}

const drawNothing = () => null;
const hide = () => drawNothing;

const ours = (): Plugin => ({
  statePlugins: {
    spec: {
      wrapActions: {
        executeRequest:
          (original, { specSelectors }) =>
          (request) => {
            const question = extensionOf(specSelectors.specJson(), request, 'x-tuic-confirm');
            return question === undefined || window.confirm(question) ? original(request) : undefined;
          },
      },
      wrapSelectors: {
        // A form would wait for the end of a stream.
        allowTryItOutFor:
          (_original, { specSelectors }) =>
          (_state, pathName, method) =>
            extensionOf(specSelectors.specJson(), { pathName, method }, 'x-tuic-stream') === undefined,
      },
    },
  },
  wrapComponents: {
    authorizeBtn: hide,
    authorizeOperationBtn: hide,
    ServersContainer: hide,
  },
});

const place = document.getElementById('api');
if (place === null) throw new Error('the page has no place for the API');

applyTheme();
darkScheme.addEventListener('change', applyTheme);
window.addEventListener('storage', applyTheme);
SwaggerUI({
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

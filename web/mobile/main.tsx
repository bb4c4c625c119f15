/** The phone page's composition root: makes the parts, joins them to the page's events, draws. */
import '../desktop/styles/tokens.css';
import '../desktop/styles/questions.css';
import '../desktop/styles/agents.css';
import '../desktop/styles/choices.css';
import './styles/phone.css';
import './styles/session.css';
import './styles/sheets.css';
import { createRoot } from 'react-dom/client';
import { systemClock } from '../../src/base/index.ts';
import { createClient } from '../../src/client/index.ts';
import { createClientId } from '../shared/client-id.ts';
import { createPageTransport } from '../shared/page-transport.ts';
import { createMemory, PREFERENCES_KEY, readPreferences } from '../shared/preferences.ts';
import { App } from './app.tsx';
import { Phone, readWrapping } from './phone.ts';
import { PhoneContext } from './phone-context.ts';
import { createPhoneStore, themeInForce } from './phone-state.ts';
import { readRoute } from './route.ts';
import { followViewport } from './viewport.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');

// The server marks a visit that began on another site; the mark has done its work.
if (window.location.search === '?again') window.history.replaceState(null, '', window.location.pathname);

const memory = createMemory(() => window.localStorage);
const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
const moreContrast = window.matchMedia('(prefers-contrast: more)');
const readSystemTheme = () => (moreContrast.matches ? 'contrast' : darkScheme.matches ? 'dark' : 'light');
const store = createPhoneStore({
  preferences: readPreferences(memory),
  wrapsLines: readWrapping(memory),
  systemTheme: readSystemTheme(),
  route: readRoute(window.location.pathname),
});

const phone = new Phone({
  // Without a client id on its requests: sessions made here are not of the workspace (http.md 3).
  client: createClient({
    transport: createPageTransport(),
  }),
  clientId: createClientId(),
  store,
  clock: systemClock,
  memory,
  showAddress: (path, how) =>
    how === 'push' ? window.history.pushState(null, '', path) : window.history.replaceState(null, '', path),
});

document.documentElement.dataset.theme = themeInForce(store.getState());
followViewport();
for (const query of [darkScheme, moreContrast]) {
  query.addEventListener('change', () => store.setState({ systemTheme: readSystemTheme() }));
}
window.addEventListener('storage', (event) => {
  if (event.key === PREFERENCES_KEY) store.setState({ preferences: readPreferences(memory) });
});
window.addEventListener('popstate', () => phone.go(readRoute(window.location.pathname), 'none'));
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') phone.wake('visible');
  else phone.hide();
});
document.addEventListener('resume', () => phone.wake('thawed'));
window.addEventListener('pageshow', (event) => phone.wake(event.persisted ? 'thawed' : 'shown'));
window.addEventListener('pagehide', () => phone.hide());
window.addEventListener('online', () => phone.wake('online'));
window.addEventListener('offline', () => phone.goOffline());
window.addEventListener('focus', () => phone.reportFocus(true));
window.addEventListener('blur', () => phone.reportFocus(false));

phone.start();
createRoot(root).render(
  <PhoneContext value={phone}>
    <App />
  </PhoneContext>,
);

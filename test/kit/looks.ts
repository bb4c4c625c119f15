/**
 * What a page must look like at every width: nothing overflows, no label is cut, axe finds nothing serious, and the keyboard
 * alone reaches everything. Each function here returns what is wrong as plain lines, so a test ends with `toEqual([])`.
 */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { WatchedPage } from './browser.ts';
import type { Cleanup } from './cleanup.ts';

export const WIDTHS = [320, 768, 1_280, 2_560] as const;
export const SCHEMES = ['light', 'dark'] as const;

export interface LooksOptions {
  /** Elements whose inside is not looked at, for a reason that the test names. */
  ignore?: readonly string[];
  /** Elements that may scroll sideways, such as a strip of tabs. */
  mayScroll?: readonly string[];
  /** Further places to walk from, reached by keys: a terminal keeps Tab, so what stands between two of them has a key of its own. */
  starts?: readonly ((page: Page) => Promise<void>)[];
}

/** Terminals are drawn by xterm.js, with cells and a helper text box of its own. */
const ALWAYS_IGNORED = ['.xterm'];

/** Widths of the page, sideways scrolling inside it, and texts that something cuts off. */
export async function findCuts(page: Page, { ignore = [], mayScroll = [] }: LooksOptions = {}): Promise<string[]> {
  return await page.evaluate(
    ({ ignored, scrolling }) => {
      const found = new Set<string>();
      const root = document.documentElement;
      const describe = (element: Element) => {
        const words = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
        const name = element.classList.length > 0 ? `.${[...element.classList].join('.')}` : '';
        return `<${element.tagName.toLowerCase()}${name}> "${words}"`;
      };
      const isIgnored = (element: Element) => ignored.some((selector) => element.closest(selector) !== null);
      if (root.scrollWidth > root.clientWidth) {
        found.add(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
      }
      // Whatever lies under an open modal dialog is not what a person looks at.
      const scope = document.querySelector('dialog:modal') ?? document.body;
      const isHiddenOnPurpose = (box: DOMRect) => box.width <= 1 || box.height <= 1;
      for (const element of scope.querySelectorAll<HTMLElement>('*')) {
        if (isIgnored(element) || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
          continue;
        const style = getComputedStyle(element);
        const canScroll = style.overflowX === 'auto' || style.overflowX === 'scroll';
        if (
          canScroll &&
          element.scrollWidth > element.clientWidth + 1 &&
          !scrolling.some((selector) => element.matches(selector))
        ) {
          found.add(`${describe(element)} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth}`);
        }
        const isField = element instanceof HTMLSelectElement;
        if (isField && element.scrollWidth > element.clientWidth + 1) found.add(`${describe(element)} cuts its choice`);
        for (const node of element.childNodes) {
          if (node.nodeType !== Node.TEXT_NODE || (node.textContent ?? '').trim() === '') continue;
          if (element instanceof HTMLOptionElement || element instanceof HTMLTextAreaElement) continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const text = range.getBoundingClientRect();
          if (isHiddenOnPurpose(text)) continue;
          // How far it is seen to reach: what shortens it or scrolls it ends before it does.
          let reach = text.right;
          for (let at: HTMLElement | null = element; at !== null; at = at.parentElement) {
            const own = getComputedStyle(at);
            const box = at.getBoundingClientRect();
            // A whole text stands in a tooltip or a name where it is shortened by intent.
            const isShortened =
              own.textOverflow === 'ellipsis' && at.closest('[title], [aria-label], [data-shortened]') !== null;
            if (isShortened || isHiddenOnPurpose(box)) {
              reach = Math.min(reach, box.right);
              break;
            }
            const cutsAcross = own.overflowX === 'hidden' || own.overflowX === 'clip';
            const cutsDown = own.overflowY === 'hidden' || own.overflowY === 'clip';
            if (cutsAcross && (text.right > box.right + 1 || text.left < box.left - 1)) {
              found.add(`${describe(element)} is cut across by ${describe(at)}`);
            }
            if (cutsDown && (text.bottom > box.bottom + 2 || text.top < box.top - 2)) {
              found.add(`${describe(element)} is cut at its height by ${describe(at)}`);
            }
            // What scrolls shows the rest on demand.
            if (/auto|scroll/.test(own.overflowX + own.overflowY)) {
              reach = Math.min(reach, box.right);
              break;
            }
          }
          if (reach > root.clientWidth + 1 && text.left < root.clientWidth) {
            found.add(`${describe(element)} reaches past the window`);
          }
        }
      }
      return [...found];
    },
    { ignored: [...ALWAYS_IGNORED, ...ignore], scrolling: mayScroll },
  );
}

interface AxeResult {
  violations: {
    id: string;
    impact: string | null;
    help: string;
    nodes: { target: unknown[]; failureSummary?: string }[];
  }[];
}

/** Serious and critical findings of axe-core. */
export async function findAccessFaults(page: Page, { ignore = [] }: LooksOptions = {}): Promise<string[]> {
  // Evaluated by the driver: the page's own policy allows no foreign script, and that stays so.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const result = await page.evaluate(
    async (ignored) => {
      const { axe } = window as unknown as { axe: { run(context: unknown, options: unknown): Promise<AxeResult> } };
      return await axe.run({ exclude: ignored.map((selector) => [selector]) }, { resultTypes: ['violations'] });
    },
    [...ALWAYS_IGNORED, ...ignore],
  );
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `axe ${id}: ${help}: ${target.join(' ')} ${failureSummary}`),
    );
}

interface Stop {
  /** Number of the element among all that can take the keyboard; -1 outside of them. */
  at: number;
  inTerminal: boolean;
  hasMark: boolean;
}

/**
 * Presses Tab through the page, or through the dialog that is open, and back again. A terminal takes Tab for its program, so the
 * walk goes to it from both sides. What stands in a group that arrow keys move through counts as reached by its one stop.
 */
export async function findUnreachable(page: Page, { ignore = [], starts = [] }: LooksOptions = {}): Promise<string[]> {
  const names = await page.evaluate(
    (ignored) => {
      const scope = document.querySelector('dialog:modal') ?? document.body;
      const candidates = [
        ...scope.querySelectorAll<HTMLElement>(
          'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]',
        ),
      ].filter(
        (element) =>
          !element.matches(':disabled, input[type=hidden]') &&
          !ignored.some((selector) => element.closest(selector) !== null) &&
          element.closest('[inert]') === null &&
          (element.checkVisibility({ visibilityProperty: true }) || element.closest('label') !== null),
      );
      const isRadio = (element: Element): element is HTMLInputElement =>
        element instanceof HTMLInputElement && element.type === 'radio';
      const stops = candidates.filter((element) => {
        if (element.closest('.xterm') !== null) return element.matches('.xterm-helper-textarea');
        if (element.tabIndex < 0) return false;
        if (!isRadio(element) || element.checked) return true;
        const group = candidates.filter((other) => isRadio(other) && other.name === element.name);
        return !group.some((other) => isRadio(other) && other.checked) && group[0] === element;
      });
      (window as unknown as { keyboardStops: HTMLElement[] }).keyboardStops = stops;
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      window.getSelection()?.removeAllRanges();
      return stops.map((element) => {
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
        const label = element instanceof HTMLInputElement ? (element.labels?.[0]?.textContent ?? '') : '';
        return `<${element.tagName.toLowerCase()}> "${(name || label || element.id).slice(0, 40)}"`;
      });
    },
    [...ignore],
  );
  const reached = new Set<number>();
  const unmarked = new Set<number>();
  const look = () =>
    page.evaluate((): Stop => {
      const { keyboardStops } = window as unknown as { keyboardStops: HTMLElement[] };
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body)
        return { at: -1, inTerminal: false, hasMark: true };
      // The mark may be drawn by what stands around a hidden box.
      const hasMark = [element, element.parentElement, element.closest('label')].some((one) => {
        if (one === null) return false;
        const style = getComputedStyle(one);
        return (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
      });
      const inTerminal = element.closest('.xterm') !== null;
      return { at: keyboardStops.indexOf(element), inTerminal, hasMark: hasMark || inTerminal };
    });
  const fromOutside = () =>
    page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  const walks = [fromOutside, ...starts.map((start) => () => start(page))].flatMap((start) =>
    ['Tab', 'Shift+Tab'].map((key) => ({ start, key })),
  );
  for (const { start, key } of walks) {
    await start();
    const begun = await look();
    if (begun.at >= 0) reached.add(begun.at);
    const seen = new Set<number>();
    for (let press = 0; press < names.length * 2 + 4; press++) {
      await page.keyboard.press(key);
      const { at, inTerminal, hasMark } = await look();
      if (at >= 0) {
        if (seen.has(at)) break;
        seen.add(at);
        reached.add(at);
        if (!hasMark) unmarked.add(at);
      }
      if (inTerminal) break;
    }
    if (reached.size === names.length) break;
  }
  return [
    ...names.filter((_, at) => !reached.has(at)).map((name) => `Tab does not reach ${name}`),
    ...names.filter((_, at) => unmarked.has(at)).map((name) => `${name} does not show that it has the keyboard`),
  ];
}

export interface View extends LooksOptions {
  name: string;
  /** Opens the page in a context that is empty but for the window's size and light colours, and brings the view up. */
  open(context: BrowserContext): Promise<WatchedPage>;
  height?: number;
  /** Some of the widths, for what looks the same at the others. */
  widths?: readonly number[];
}

/**
 * The matrix: a view at four widths, in light and in dark. A page is opened for each width, since people open it at theirs; the
 * colours change under it. The result names view, width and scheme with each finding; console errors are findings too.
 */
export async function inspectEverywhere(browser: Browser, cleanup: Cleanup, view: View): Promise<string[]> {
  const findings: string[] = [];
  for (const width of view.widths ?? WIDTHS) {
    const viewport = { width, height: view.height ?? 800 };
    const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
    const forget = cleanup.defer(() => context.close());
    const { page, problems } = await view.open(context);
    const note = (scheme: string, lines: string[]) =>
      findings.push(...lines.map((line) => `${view.name}, ${width} px, ${scheme}: ${line}`));
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      note(colorScheme, [...(await findCuts(page, view)), ...(await findAccessFaults(page, view))]);
    }
    note('any', [...(await findUnreachable(page, view)), ...problems]);
    forget();
    await context.close();
  }
  return findings;
}

/** The process monitor (http.md 7): a page that stands alone, for whoever wants to know what the sessions are doing to the machine. */
import './styles/base.css';
import './styles/top.css';
import './styles/charts.css';
import './styles/controls.css';
import './styles/table.css';
import './styles/dialogs.css';
import './styles/small.css';
import { LIMITS, type MachineLoad, type ProcessStats } from '../../src/contract/index.ts';
import { createMemory, readPreferences } from '../shared/preferences.ts';
import { type ChartData, StackChart, sparkline } from './chart.ts';
import { confirmEnd, showHelp } from './dialogs.ts';
import { find, make, setAttribute, setText } from './elements.ts';
import { formatAgo, formatMemory, formatPercent } from './format.ts';
import { buildRows, OWN_GROUP, processKey, type SortKey, type View } from './rows.ts';
import { AskError, killProcess, Source } from './source.ts';
import { ProcessTable } from './table.ts';
import { groupsIn, Timeline, windowFor } from './timeline.ts';

const OWN_NAME = 'TUICommander';
const WINDOWS = { '5': 300_000, '15': 900_000 } as const;
const NOTE_FADES = 20_000;
const SORTS: Readonly<Record<string, SortKey>> = { n: 'name', i: 'pid', c: 'cpu', m: 'memory', a: 'age' };

const timeline = new Timeline();
const collapsed = new Set<string>();
const open = new Set<string>();
/** What was asked of a process, and when. */
const notes = new Map<string, { text: string; at: number }>();
const view: { -readonly [Key in keyof View]: View[Key] } = {
  sort: undefined,
  isDescending: true,
  layout: 'tree',
  filter: '',
  only: undefined,
  collapsed,
};
const state = {
  stats: [] as readonly ProcessStats[],
  machine: null as MachineLoad | null,
  total: 0,
  window: WINDOWS['5'] as number,
  isPaused: false,
  answeredAt: undefined as number | undefined,
  /** Charts end here: now, or when the page was paused. */
  now: performance.now(),
  failure: undefined as AskError | undefined,
};

// --- theme ------------------------------------------------------------------------------------------------------------

const lightScheme = matchMedia('(prefers-color-scheme: light)');

function applyTheme(): void {
  const { theme } = readPreferences(createMemory(() => localStorage));
  const system = lightScheme.matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme === 'system' ? system : theme;
}

applyTheme();
lightScheme.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);

// --- drawing ----------------------------------------------------------------------------------------------------------

const cpuChart = new StackChart(find('#cpu-chart', HTMLElement), 'cpu_pct', 'Processor');
const memoryChart = new StackChart(find('#memory-chart', HTMLElement), 'rss_kb', 'Memory');
const announcer = find('#announcer', HTMLElement);
const table = new ProcessTable(find('#rows', HTMLTableSectionElement), {
  toggleChildren(key) {
    toggle(collapsed, key);
    show();
  },
  toggleDetails(key) {
    toggle(open, key);
    show();
  },
  end(stats, below) {
    void endProcess(stats, below);
  },
});

function toggle(set: Set<string>, key: string): void {
  if (!set.delete(key)) set.add(key);
}

/** The list calls a session without a name by its id (http.md 7); people know it by its alias, which the history has. */
function withLabel(stats: ProcessStats): ProcessStats {
  const label =
    stats.kind === 'session' && stats.session_id !== null ? timeline.names.get(stats.session_id) : undefined;
  return label === undefined ? stats : { ...stats, name: label };
}

const nameOf = (group: string) => (group === OWN_GROUP ? OWN_NAME : (timeline.names.get(group) ?? group.slice(0, 8)));

function colorOf(group: string): string {
  if (group === OWN_GROUP) return 'color-own';
  const color = timeline.colorOf(group);
  return color === undefined ? 'color-other' : `color-${color}`;
}

function chartData(): ChartData {
  const { now } = state;
  const window = windowFor(now - (timeline.points[0]?.at ?? now), state.window);
  const points = timeline.within(now - window);
  const groups = groupsIn(points).filter((group) => view.only === undefined || group === view.only);
  return { points, groups, now, window, interval: timeline.interval, nameOf, colorOf };
}

function show(): void {
  timeline.freeColors();
  const data = chartData();
  cpuChart.show(data);
  memoryChart.show(data);
  showFigures();
  showLegend(data);
  const rows = buildRows(state.stats, view);
  table.show(rows, {
    colorOf,
    nameOf,
    spark: (group) => sparkline(data, group, 96, 20),
    mostMemory: Math.max(0, ...state.stats.map(({ rss_kb }) => rss_kb)),
    isList: view.layout === 'list',
    open,
    noteOf: (key) => notes.get(key)?.text,
  });
  showControls(rows.length);
}

function showFigures(): void {
  const { machine, stats } = state;
  const cpu = stats.reduce((sum, { cpu_pct }) => sum + cpu_pct, 0);
  const memory = stats.reduce((sum, { rss_kb }) => sum + rss_kb, 0);
  setText(find('#cpu-now', HTMLElement), formatPercent(cpu));
  setText(find('#memory-now', HTMLElement), formatMemory(memory));
  const cores = machine === null ? '' : machine.cores === 1 ? '1 processor' : `${machine.cores} processors`;
  setText(
    find('#cpu-context', HTMLElement),
    machine === null ? '' : `of ${machine.cores * 100} % (${cores}) · whole machine ${formatPercent(machine.cpu_pct)}`,
  );
  setText(
    find('#memory-context', HTMLElement),
    machine === null
      ? ''
      : `of ${formatMemory(machine.memory_kb)} · whole machine ${formatMemory(machine.memory_used_kb)}`,
  );
}

function showLegend({ groups, points }: ChartData): void {
  const last = points.at(-1);
  const all = view.only === undefined ? groups : groupsIn(points);
  const legend = find('#legend', HTMLElement);
  const wanted = all.map((group) => ({
    group,
    name: nameOf(group),
    color: colorOf(group),
    isGone: last !== undefined && !last.groups.has(group),
    isOnly: view.only === group,
  }));
  wanted.sort((a, b) => Number(a.isGone) - Number(b.isGone));
  const form = JSON.stringify(wanted);
  if (legend.dataset.form === form) return;
  legend.dataset.form = form;
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.group : undefined;
  legend.replaceChildren(
    ...wanted.map(({ group, name, color, isGone, isOnly }) => {
      const button = make(
        'button',
        {
          type: 'button',
          class: `chip${isOnly ? ' is-only' : ''}${isGone ? ' is-gone' : ''}`,
          'aria-pressed': String(isOnly),
        },
        make('i', { class: `swatch ${color}` }),
        make('bdi', {}, name),
        isGone ? make('span', { class: 'quiet' }, 'ended') : '',
      );
      button.dataset.group = group;
      button.title = isOnly ? 'Show all' : `Show ${name} alone`;
      button.addEventListener('click', () => {
        view.only = isOnly ? undefined : group;
        show();
      });
      return button;
    }),
  );
  if (focused !== undefined) legend.querySelector<HTMLElement>(`[data-group="${CSS.escape(focused)}"]`)?.focus();
}

function showControls(rows: number): void {
  const pause = find('#pause', HTMLButtonElement);
  setText(find('#pause-text', HTMLElement), state.isPaused ? 'Resume' : 'Pause');
  setAttribute(pause, 'aria-pressed', String(state.isPaused));
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-layout]')) {
    setAttribute(button, 'aria-pressed', String(button.dataset.layout === view.layout));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-window]')) {
    setAttribute(button, 'aria-pressed', String(WINDOWS[button.dataset.window as '5' | '15'] === state.window));
  }
  for (const header of document.querySelectorAll<HTMLElement>('th[data-sort]')) {
    const isSorted = header.dataset.sort === view.sort;
    setAttribute(header, 'aria-sort', !isSorted ? 'none' : view.isDescending ? 'descending' : 'ascending');
  }
  const hidden = state.total - state.stats.length;
  const isNarrowed = view.filter.trim() !== '' || view.only !== undefined;
  find('#empty', HTMLElement).hidden = rows > 0 || state.answeredAt === undefined;
  setText(find('#empty-text', HTMLElement), isNarrowed ? 'Nothing matches.' : 'There is nothing to show.');
  find('#show-all', HTMLElement).hidden = !isNarrowed;
  const cut = find('#cut', HTMLElement);
  cut.hidden = hidden <= 0;
  setText(cut, `${state.total} processes run; the first ${state.stats.length} are listed.`);
  const sessions = new Set(state.stats.map(({ session_id }) => session_id)).size - 1;
  setText(
    find('#counts', HTMLElement),
    state.answeredAt === undefined
      ? ''
      : `${sessions === 1 ? '1 session' : `${Math.max(0, sessions)} sessions`} · ${state.total} processes`,
  );
  showState();
}

function showState(): void {
  const { failure, isPaused, answeredAt } = state;
  const badge = find('#state', HTMLElement);
  const kind = isPaused ? 'paused' : failure !== undefined ? 'lost' : answeredAt === undefined ? 'waiting' : 'live';
  setAttribute(badge, 'data-state', kind);
  const texts = { paused: 'Paused', lost: 'No answer', waiting: 'Looking…', live: 'Live' };
  setText(find('#state-text', HTMLElement), texts[kind]);
  const banner = find('#banner', HTMLElement);
  banner.hidden = failure === undefined || isPaused;
  document.body.classList.toggle('is-stale', failure !== undefined && answeredAt !== undefined);
  if (failure === undefined) return;
  const seen = answeredAt === undefined ? '' : ` What you see is from ${formatAgo(performance.now() - answeredAt)}.`;
  setText(banner, `${failure.message}${failure.isLoginMissing ? '' : ' Trying again.'}${seen}`);
}

// --- the server -------------------------------------------------------------------------------------------------------

const source = new Source({
  newestId: () => timeline.newestId,
  onAnswer({ stats, history }) {
    const now = performance.now();
    state.failure = undefined;
    if (!timeline.add(history, now)) {
      // The server is another one: what it knows comes with the next question.
      source.start();
      return;
    }
    state.now = now;
    state.answeredAt = now;
    state.stats = stats.map(withLabel);
    state.machine = history.machine;
    // The list and the history may be of two samples; only a list that was cut needs the other's count.
    const counted = history.samples.at(-1)?.process_count ?? state.total;
    state.total = stats.length < LIMITS.processRows ? stats.length : Math.max(stats.length, counted);
    dropNotes(now);
    show();
  },
  onFailure(error) {
    state.failure = error;
    showState();
  },
});

function dropNotes(now: number): void {
  const running = new Set(state.stats.map(processKey));
  for (const [key, { at }] of notes) {
    if (!running.has(key)) notes.delete(key);
    else if (now - at > NOTE_FADES) notes.delete(key);
    else if (now - at > timeline.interval * 2) notes.set(key, { text: 'still runs', at });
  }
  for (const key of open) if (!running.has(key)) open.delete(key);
}

async function endProcess(stats: ProcessStats, below: number): Promise<void> {
  const mode = await confirmEnd(stats, { session: nameOf(stats.session_id ?? OWN_GROUP), below });
  table.focus();
  if (mode === undefined) return;
  const { pid, start_ticks, program } = stats;
  try {
    await killProcess({ pid, start_ticks, mode });
    notes.set(processKey(stats), { text: mode === 'kill' ? 'killed' : 'asked to end', at: performance.now() });
    tell(mode === 'kill' ? `${program} (${pid}) was killed.` : `${program} (${pid}) was asked to end.`);
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    tell(error.message, true);
  }
  show();
}

let notice: ReturnType<typeof setTimeout> | undefined;

function tell(text: string, isError = false): void {
  announcer.hidden = false;
  setAttribute(announcer, 'class', isError ? 'notice is-error' : 'notice');
  announcer.textContent = text;
  clearTimeout(notice);
  notice = setTimeout(() => (announcer.hidden = true), isError ? 10_000 : 5_000);
}

// --- controls ---------------------------------------------------------------------------------------------------------

function setPaused(isPaused: boolean): void {
  state.isPaused = isPaused;
  if (isPaused) source.stop();
  else source.start();
  show();
}

function setSort(sort: SortKey): void {
  // Largest first, smallest first, then as the sessions stand. Names begin with A.
  const first = sort !== 'name';
  if (view.sort !== sort) Object.assign(view, { sort, isDescending: first });
  else if (view.isDescending === first) view.isDescending = !first;
  else view.sort = undefined;
  show();
}

function setFilter(text: string): void {
  view.filter = text;
  show();
}

function setLayout(layout: View['layout']): void {
  view.layout = layout;
  show();
}

const filter = find('#filter', HTMLInputElement);
filter.addEventListener('input', () => setFilter(filter.value));
filter.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'Enter') table.focus();
  else if (event.key === 'Escape') {
    clearFilter();
    table.focus();
  } else return;
  event.preventDefault();
});

function clearFilter(): void {
  filter.value = '';
  view.only = undefined;
  setFilter('');
}

find('#show-all', HTMLButtonElement).addEventListener('click', clearFilter);
find('#pause', HTMLButtonElement).addEventListener('click', () => setPaused(!state.isPaused));
find('#show-help', HTMLButtonElement).addEventListener('click', showHelp);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-layout]')) {
  button.addEventListener('click', () => setLayout(button.dataset.layout === 'list' ? 'list' : 'tree'));
}
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-window]')) {
  button.addEventListener('click', () => {
    state.window = WINDOWS[button.dataset.window as '5' | '15'];
    show();
  });
}
for (const header of document.querySelectorAll<HTMLElement>('th[data-sort]')) {
  header.querySelector('button')?.addEventListener('click', () => setSort(header.dataset.sort as SortKey));
}
for (const dialog of document.querySelectorAll('dialog')) {
  for (const button of dialog.querySelectorAll('button'))
    button.addEventListener('click', () => dialog.close(button.value));
  // A click beside it.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close('');
  });
}

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
    return;
  const sort = SORTS[event.key];
  if (event.key === '/') {
    filter.focus();
    filter.select();
  } else if (event.key === 'p') setPaused(!state.isPaused);
  else if (event.key === 't') setLayout(view.layout === 'tree' ? 'list' : 'tree');
  else if (event.key === '?') showHelp();
  else if (event.key === 'k') endCurrent();
  else if (event.key === 'Escape') clearFilter();
  else if (event.key === 'ArrowDown' && document.activeElement === document.body) table.focus();
  else if (sort !== undefined) setSort(sort);
  else return;
  event.preventDefault();
});

function endCurrent(): void {
  const row = table.current;
  if (row?.kind === 'process' && row.group !== OWN_GROUP) void endProcess(row.stats, row.below);
}

document.addEventListener('visibilitychange', () => {
  if (state.isPaused) return;
  if (document.hidden) source.stop();
  else source.start();
});
// Came back from another page, as it was when it was left.
addEventListener('pageshow', (event) => {
  if (event.persisted && !state.isPaused) source.start();
});

addEventListener('resize', show);

// Says how old the picture is while no answer comes.
setInterval(() => {
  if (state.failure !== undefined) showState();
}, 1_000);

if (document.hidden) showState();
else source.start();
show();

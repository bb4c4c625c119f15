/**
 * The table: one row element a key, kept over updates, so that focus, selection and scrolling stay where a person left them. A tree grid
 * with one row in the tab order; the arrows move it.
 */
import type { ProcessStats } from '../../src/contract/index.ts';
import { draw, make, setAttribute, setText } from './elements.ts';
import { describeState, formatAge, formatMemory, formatPercent } from './format.ts';
import { type GroupRow, heatOf, OWN_GROUP, type ProcessRow, type Row } from './rows.ts';

export interface TableContext {
  colorOf(group: string): string;
  nameOf(group: string): string;
  spark(group: string): SVGElement;
  /** The largest memory of a process, for the bars. */
  mostMemory: number;
  isList: boolean;
  /** Rows whose particulars are shown. */
  open: ReadonlySet<string>;
  /** What was asked of a process, in words. */
  noteOf(key: string): string | undefined;
}

export interface TableActions {
  toggleChildren(key: string): void;
  toggleDetails(key: string): void;
  end(stats: ProcessStats, below: number): void;
}

function stateWord(letter: string): string {
  return describeState(letter).split(',')[0] ?? '';
}

interface RowView {
  row: HTMLTableRowElement;
  name: HTMLElement;
  lead: HTMLElement;
  program: HTMLElement;
  command: HTMLElement;
  badges: HTMLElement;
  more: HTMLElement;
  spark: HTMLElement;
  sub: HTMLElement;
  session: HTMLElement;
  pid: HTMLElement;
  cpu: HTMLElement;
  cpuBar: HTMLElement;
  memory: HTMLElement;
  memoryBar: HTMLElement;
  age: HTMLElement;
  end: HTMLButtonElement;
  /** Set with each update. */
  shown: Row;
  details: { row: HTMLTableRowElement; cell: HTMLElement; list: HTMLElement } | undefined;
}

function meter(kind: string): { cell: HTMLTableCellElement; value: HTMLElement; bar: HTMLElement } {
  const bar = make('i', { class: 'meter-fill' });
  const value = make('span', { class: 'value' });
  const cell = make(
    'td',
    { class: `cell number ${kind}`, role: 'gridcell' },
    value,
    make('span', { class: 'meter' }, bar),
  );
  return { cell, value, bar };
}

function twisty(): SVGElement {
  return draw(
    'svg',
    { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' },
    draw('path', { d: 'M4 2.5 8 6 4 9.5' }),
  );
}

export class ProcessTable {
  readonly #body: HTMLTableSectionElement;
  readonly #actions: TableActions;
  readonly #views = new Map<string, RowView>();
  #order: string[] = [];
  #current: string | undefined;
  readonly #headers: NodeListOf<HTMLElement>;
  /** Those that are shown: a cell over more of them than there are makes the table invent some. */
  #columns = 0;

  constructor(body: HTMLTableSectionElement, actions: TableActions) {
    this.#body = body;
    // By script: as a plain table it is right as well.
    body.closest('table')?.setAttribute('role', 'treegrid');
    this.#actions = actions;
    this.#headers = document.querySelectorAll('thead th');
    body.addEventListener('keydown', (event) => this.#onKey(event));
    body.addEventListener('focusin', (event) => {
      const key = event.target instanceof Element ? event.target.closest('tr')?.dataset.key : undefined;
      if (key !== undefined) this.#setCurrent(key);
    });
  }

  show(rows: readonly Row[], context: TableContext): void {
    const focused = this.#focusedKey();
    const before = this.#order;
    this.#order = rows.map(({ key }) => key);
    const wanted = new Set(this.#order);
    this.#columns = [...this.#headers].filter((header) => header.offsetParent !== null).length;
    for (const [key, view] of this.#views) {
      if (wanted.has(key)) continue;
      view.row.remove();
      view.details?.row.remove();
      this.#views.delete(key);
    }
    let place: Element | null = this.#body.firstElementChild;
    const put = (row: Element) => {
      if (row === place) place = place.nextElementSibling;
      else this.#body.insertBefore(row, place);
    };
    for (const row of rows) {
      const view = this.#views.get(row.key) ?? this.#add(row);
      this.#update(view, row, context);
      put(view.row);
      if (view.details !== undefined) put(view.details.row);
    }
    this.#keepFocus(focused, before);
  }

  /** The row that the keys are for; the first one without another choice. */
  get current(): Row | undefined {
    const key = this.#current ?? this.#order[0];
    return key === undefined ? undefined : this.#views.get(key)?.shown;
  }

  focus(): void {
    const key = this.#current ?? this.#order[0];
    if (key !== undefined) this.#views.get(key)?.row.focus();
  }

  #focusedKey(): string | undefined {
    const { activeElement } = document;
    return this.#body.contains(activeElement) ? activeElement?.closest('tr')?.dataset.key : undefined;
  }

  /** A row that is moved loses the focus; one that went leaves it to what took its place. */
  #keepFocus(focused: string | undefined, before: readonly string[]): void {
    const key = focused ?? this.#current;
    let heir = key;
    if (key !== undefined && !this.#views.has(key)) {
      const at = before.indexOf(key);
      heir = [...before.slice(at), ...before.slice(0, Math.max(0, at)).reverse()].find((one) => this.#views.has(one));
    }
    this.#setCurrent(heir ?? this.#order[0]);
    if (focused === undefined || heir === undefined) return;
    const row = this.#views.get(heir)?.row;
    if (row !== undefined && !row.contains(document.activeElement)) row.focus({ preventScroll: true });
  }

  #setCurrent(key: string | undefined): void {
    this.#current = key;
    for (const [each, { row }] of this.#views) row.tabIndex = each === key ? 0 : -1;
  }

  #onKey(event: KeyboardEvent): void {
    const key = this.#focusedKey();
    const view = key === undefined ? undefined : this.#views.get(key);
    if (view === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // Buttons in a row have keys of their own.
    if (event.target instanceof HTMLButtonElement && (event.key === 'Enter' || event.key === ' ')) return;
    const at = this.#order.indexOf(view.shown.key);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: this.#order.length - 1,
      PageDown: at + 10,
      PageUp: at - 10,
    };
    const move = moves[event.key];
    if (move !== undefined) this.#moveTo(Math.min(this.#order.length - 1, Math.max(0, move)));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      this.#fold(view.shown, event.key === 'ArrowLeft', at);
    else if (event.key === 'Enter') this.#actOn(view.shown);
    else if (event.key === 'Delete' && view.shown.kind === 'process') this.#end(view.shown);
    else return;
    event.preventDefault();
  }

  #moveTo(at: number): void {
    const row = this.#views.get(this.#order[at] ?? '')?.row;
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  }

  #fold(row: Row, isClosing: boolean, at: number): void {
    const hasChildren = row.kind === 'group' || row.below > 0;
    if (hasChildren && row.isCollapsed !== isClosing) {
      this.#actions.toggleChildren(row.key);
      return;
    }
    if (!isClosing) {
      if (hasChildren) this.#moveTo(at + 1);
      return;
    }
    const level = row.kind === 'group' ? 0 : row.depth + 1;
    for (let above = at - 1; above >= 0; above--) {
      const shown = this.#views.get(this.#order[above] ?? '')?.shown;
      if (shown !== undefined && (shown.kind === 'group' ? 0 : shown.depth + 1) < level) {
        this.#moveTo(above);
        return;
      }
    }
  }

  #actOn(row: Row): void {
    if (row.kind === 'group') this.#actions.toggleChildren(row.key);
    else this.#actions.toggleDetails(row.key);
  }

  #end(row: ProcessRow): void {
    if (row.group !== OWN_GROUP) this.#actions.end(row.stats, row.below);
  }

  #add(shown: Row): RowView {
    const lead = make('span', { class: 'lead', 'aria-hidden': 'true' });
    const program = make('bdi', { class: 'program' });
    const more = make('span', { class: 'more' });
    const badges = make('span', { class: 'badges' });
    const command = make('bdi', { class: 'command-line' });
    const spark = make('span', { class: 'spark-place' });
    const sub = make('span', { class: 'sub' });
    const text = make(
      'span',
      { class: 'name-text' },
      make('span', { class: 'name-line' }, program, more, badges, command),
      sub,
    );
    const name = make(
      'th',
      { scope: 'row', class: 'cell name', role: 'rowheader' },
      make('div', { class: 'name-box' }, lead, text, spark),
    );
    const session = make('td', { class: 'cell session', role: 'gridcell' });
    const pid = make('td', { class: 'cell number pid', role: 'gridcell' });
    const cpu = meter('cpu');
    const memory = meter('memory');
    const age = make('td', { class: 'cell number age', role: 'gridcell' });
    const end = make('button', { type: 'button', class: 'end-button', tabindex: -1 }, 'End');
    const last = make('td', { class: 'cell actions', role: 'gridcell' }, end);
    const row = make('tr', {}, name, session, pid, cpu.cell, memory.cell, age, last);
    row.dataset.key = shown.key;
    const view: RowView = {
      row,
      name,
      lead,
      program,
      command,
      badges,
      more,
      spark,
      sub,
      session,
      pid,
      cpu: cpu.value,
      cpuBar: cpu.bar,
      memory: memory.value,
      memoryBar: memory.bar,
      age,
      end,
      shown,
      details: undefined,
    };
    end.addEventListener('click', (event) => {
      event.stopPropagation();
      if (view.shown.kind === 'process') this.#end(view.shown);
    });
    row.addEventListener('click', (event) => {
      // Text that is being selected is no click.
      if (getSelection()?.isCollapsed === false) return;
      const isTwisty = event.target instanceof Element && event.target.closest('.twisty') !== null;
      if (isTwisty) this.#actions.toggleChildren(view.shown.key);
      else this.#actOn(view.shown);
    });
    this.#views.set(shown.key, view);
    return view;
  }

  #update(view: RowView, row: Row, context: TableContext): void {
    view.shown = row;
    const color = context.colorOf(row.group);
    const level = row.kind === 'group' ? 1 : context.isList ? 1 : row.depth + 2;
    setAttribute(view.row, 'aria-level', String(level));
    setAttribute(view.row, 'class', row.kind === 'group' ? `group ${color}` : `process ${color}`);
    const heat = heatOf(row.kind === 'process' ? row.cpu : 0);
    setText(view.cpu, formatPercent(row.cpu));
    setAttribute(view.cpu, 'class', row.cpu < 0.05 ? 'value is-nothing' : `value ${heat}`);
    setAttribute(view.cpuBar, 'class', `meter-fill ${heat}`);
    view.cpuBar.style.width = `${Math.min(100, row.cpu)}%`;
    setText(view.memory, formatMemory(row.memory));
    view.memoryBar.style.width = `${context.mostMemory === 0 ? 0 : Math.min(100, (row.memory / context.mostMemory) * 100)}%`;
    if (row.kind === 'group') this.#updateGroup(view, row, context);
    else this.#updateProcess(view, row, context);
  }

  #updateGroup(view: RowView, row: GroupRow, context: TableContext): void {
    setAttribute(view.row, 'aria-expanded', String(!row.isCollapsed));
    this.#drawParts(view.lead, `group ${row.isCollapsed}`, () => [this.#twisty(), make('i', { class: 'dot' })]);
    setText(view.program, row.name);
    setAttribute(view.program, 'title', row.name);
    const count = row.count === 1 ? '1 process' : `${row.count} processes`;
    setText(view.more, count);
    setText(view.sub, '');
    setText(view.session, row.group === OWN_GROUP ? '–' : row.group.slice(0, 8));
    setAttribute(view.session, 'title', row.group);
    setText(view.pid, '');
    setText(view.age, row.group === OWN_GROUP ? '' : formatAge(row.age));
    view.end.hidden = true;
    view.spark.replaceChildren(context.spark(row.group));
  }

  #updateProcess(view: RowView, row: ProcessRow, context: TableContext): void {
    const { stats } = row;
    if (row.below > 0) setAttribute(view.row, 'aria-expanded', String(!row.isCollapsed));
    else view.row.removeAttribute('aria-expanded');
    const form = `${context.isList} ${row.lines.join()} ${row.isLast} ${row.below > 0} ${row.isCollapsed}`;
    this.#drawParts(view.lead, form, () => {
      if (context.isList) return [make('i', { class: 'dot' })];
      const lines = row.lines.map((goesOn) => make('i', { class: goesOn ? 'line goes-on' : 'line' }));
      const corner = make('i', { class: row.isLast ? 'line corner' : 'line corner goes-on' });
      return [...lines, corner, row.below > 0 ? this.#twisty() : make('i', { class: 'leaf' })];
    });
    const program = stats.session_id === null ? stats.name : stats.program;
    setText(view.program, program);
    setText(view.more, row.isCollapsed ? `+${row.below}` : '');
    setText(view.command, stats.command);
    setAttribute(view.command, 'title', stats.command);
    const note = context.noteOf(row.key);
    const badges: [string, string][] = [
      ...(note === undefined ? [] : [[note, 'badge is-notable'] as [string, string]]),
      ...('DTtZ'.includes(stats.state) ? [[stateWord(stats.state), 'badge is-notable'] as [string, string]] : []),
      ...(stats.is_foreground && stats.kind !== 'session' ? [['foreground', 'badge'] as [string, string]] : []),
    ];
    this.#drawParts(view.badges, badges.join(), () =>
      badges.map(([text, kind]) => make('span', { class: kind }, text)),
    );
    const own = stats.session_id === null;
    setText(
      view.sub,
      `${stats.pid} · ${formatAge(stats.age_secs)}${own || !context.isList ? '' : ` · ${context.nameOf(row.group)}`}`,
    );
    setText(view.session, own ? '–' : (stats.session_id?.slice(0, 8) ?? '–'));
    setAttribute(view.session, 'title', own ? '' : `${context.nameOf(row.group)} ${stats.session_id}`);
    setText(view.pid, String(stats.pid));
    setText(view.age, formatAge(stats.age_secs));
    view.end.hidden = own;
    setAttribute(view.end, 'aria-label', `End ${program}, process ${stats.pid}`);
    this.#updateDetails(view, row, context);
  }

  #twisty(): HTMLElement {
    return make('span', { class: 'twisty' }, twisty());
  }

  /** Drawn anew only when its form changes. */
  #drawParts(place: HTMLElement, form: string, parts: () => Node[]): void {
    if (place.dataset.form === form) return;
    place.dataset.form = form;
    place.replaceChildren(...parts());
  }

  #updateDetails(view: RowView, row: ProcessRow, context: TableContext): void {
    if (!context.open.has(row.key)) {
      view.details?.row.remove();
      view.details = undefined;
      return;
    }
    if (view.details === undefined) {
      const list = make('dl');
      const end = make('button', { type: 'button', class: 'button button-danger' }, 'End process…');
      end.hidden = row.group === OWN_GROUP;
      end.addEventListener('click', () => {
        if (view.shown.kind === 'process') this.#end(view.shown);
      });
      const box = make('div', { class: 'details-box' }, list, end);
      const cell = make('td', { class: 'details-cell', role: 'gridcell' }, box);
      const detailsRow = make('tr', { class: 'details' }, cell);
      view.details = { row: detailsRow, cell, list };
    }
    setAttribute(view.details.cell, 'colspan', String(this.#columns));
    const { stats } = row;
    const entries: [string, string][] = [
      ['Command', stats.command],
      ['Process', `${stats.pid}, started by ${stats.parent_pid === 0 ? 'an unknown one' : stats.parent_pid}`],
      ['Session', stats.session_id === null ? 'none' : `${context.nameOf(row.group)} (${stats.session_id})`],
      ['State', `${describeState(stats.state)}${stats.is_foreground ? ', in the foreground of its terminal' : ''}`],
      ['Age', formatAge(stats.age_secs)],
    ];
    const text = JSON.stringify(entries);
    const { list } = view.details;
    // Rewritten only when it says something new: a person may be selecting in it.
    if (list.dataset.text === text) return;
    list.dataset.text = text;
    list.replaceChildren(
      ...entries.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, make('bdi', {}, value))]),
    );
  }
}

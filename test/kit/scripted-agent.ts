/**
 * An agent for tests of the state engine: a screen of a few rows that a small adapter reads, and an engine that is fed by steps
 * in time. Rows of its screen: what it wrote, `✽ Working 3` while it works, `? question` for a dialog, `# stopped` for an
 * interrupt, and `> text` as its composer.
 */

import { DEADLINES } from '../../src/contract/index.ts';
import { type CatalogueAgent, findAgent } from '../../src/domain/agents/catalogue/index.ts';
import { SessionEvidence } from '../../src/domain/agents/index.ts';
import { NOTHING_SEEN, type ScreenAdapter } from '../../src/domain/agents/screens/model.ts';

const adapter: ScreenAdapter = {
  read: ({ rows }) => {
    const inputTop = rows.findLastIndex((row) => row.startsWith('>'));
    if (inputTop < 0) return NOTHING_SEEN;
    const composer = rows[inputTop] === '>' ? 'empty' : 'partial';
    const title = rows.find((row) => row.startsWith('? '));
    if (title !== undefined) {
      const choices = [{ key: '1', label: 'Yes', highlighted: true, destructive: false }];
      return { state: 'dialog', composer: 'unknown', inputTop, dialog: { title, choices } };
    }
    const isWorking = rows.some((row) => row.startsWith('✽'));
    const isStopped = rows.some((row) => row.startsWith('#'));
    return { state: isWorking ? 'working' : isStopped ? 'interrupted' : 'ready', composer, inputTop };
  },
};

const base = findAgent('claude');
if (base === undefined) throw new Error('the catalogue has no claude');
const agents = new Map<string, CatalogueAgent>([
  ['claude', { ...base, screen: adapter, verified: true }],
  ['guess', { ...base, id: 'guess', screen: adapter, verified: false }],
  ['blind', { id: 'blind', name: 'Blind', ...omitScreen(base), verified: false }],
]);

function omitScreen({ screen: _screen, id: _id, name: _name, ...rest }: CatalogueAgent) {
  return rest;
}

export class ScriptedAgent {
  readonly evidence: SessionEvidence;
  #now = 0;
  #written: string[] = [];
  #working = '';
  #composer = '>';

  constructor(type: string | null = 'claude', hasProcessTable = false) {
    this.evidence = new SessionEvidence(type ?? undefined, {
      hasProcessTable,
      findAgent: (name) => agents.get(name),
      hookNonce: 'n',
    });
  }

  get now(): number {
    return this.#now;
  }

  /** Time passes; the engine is woken when it asked for it. */
  pass(milliseconds: number): this {
    const end = this.#now + milliseconds;
    for (let due = this.evidence.dueAt(); due !== undefined && due <= end; due = this.evidence.dueAt()) {
      if (due <= this.#now) throw new Error(`asked at ${this.#now} to be woken at ${due}`);
      this.#now = due;
      this.evidence.tick(due);
    }
    this.#now = end;
    return this;
  }

  /** Shows its screen, as a look would. */
  paint(): this {
    const rows = [...this.#written, ...(this.#working === '' ? [] : [this.#working]), this.#composer];
    this.evidence.output(this.#now);
    this.evidence.screen({ rows, cursorRow: 0, cursorColumn: 0, isAlternate: false }, this.#now);
    return this;
  }

  writes(line: string): this {
    this.#written.push(line);
    return this.paint();
  }

  clears(): this {
    this.#written = [];
    return this.paint();
  }

  works(row = '✽ Working 1'): this {
    this.#working = row;
    return this.paint();
  }

  rests(): this {
    this.#working = '';
    return this.paint();
  }

  /** The composer shows what is typed in it. */
  shows(text: string): this {
    this.#composer = text === '' ? '>' : `> ${text}`;
    return this.paint();
  }

  draws(rows: readonly string[]): this {
    this.evidence.output(this.#now);
    this.evidence.screen({ rows, cursorRow: 0, cursorColumn: 0, isAlternate: false }, this.#now);
    return this;
  }

  types(text: string): this {
    this.evidence.input(Buffer.from(text), this.#now);
    return this;
  }

  says(data: string, code = 7501): this {
    this.evidence.command(code, data, this.#now);
    return this;
  }

  hook(state: string, nonce = 'n'): this {
    return this.says(`nonce=${nonce};state=${state}`, 7770);
  }

  /** Started, and ready for long enough. */
  settles(): this {
    return this.paint().pass(DEADLINES.readyConfirmation);
  }

  /** A whole turn up to where it works. */
  begins(text = 'do it'): this {
    return this.types(`${text}\r`).pass(100).writes(`you: ${text}`).pass(100).works();
  }

  get shell(): string | undefined {
    return this.evidence.read().shell_state;
  }

  get state(): string | undefined {
    return this.evidence.read().agent_state;
  }

  get refusal(): string | undefined {
    return this.evidence.typingRefusal();
  }

  get by(): string | undefined {
    return this.evidence.explain().shell_state_by;
  }
}

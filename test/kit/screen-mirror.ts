/** A plain terminal, fed with what a viewer was sent: what the person would see. */

import unicode11 from '@xterm/addon-unicode11';
import headless from '@xterm/headless';

export class ScreenMirror {
  readonly terminal: InstanceType<typeof headless.Terminal>;
  /** What the terminal itself would have answered. */
  answers = '';

  constructor(cols = 80, rows = 24, scrollback = 0) {
    this.terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true });
    this.terminal.loadAddon(new unicode11.Unicode11Addon());
    this.terminal.unicode.activeVersion = '11';
    this.terminal.onData((data) => {
      this.answers += data;
    });
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(data, resolve));
  }

  /** Rows of the active buffer without trailing blanks; empty rows at the end are left out. */
  rows(): string[] {
    const buffer = this.terminal.buffer.active;
    const rows: string[] = [];
    for (let row = 0; row < this.terminal.rows; row++) {
      rows.push(
        buffer
          .getLine(buffer.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
      );
    }
    while (rows.length > 0 && rows.at(-1) === '') rows.pop();
    return rows;
  }

  get isAlternate(): boolean {
    return this.terminal.buffer.active.type === 'alternate';
  }

  get cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  dispose(): void {
    this.terminal.dispose();
  }
}

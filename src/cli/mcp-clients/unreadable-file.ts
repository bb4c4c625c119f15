/** A configuration that cannot be understood; it is left alone. */
export class UnreadableFile extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.name = 'UnreadableFile';
    this.line = line;
  }
}

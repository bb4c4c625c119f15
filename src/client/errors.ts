/** The server answered with a refusal. `message` is the server's own text, which names the next step. */
export class RequestRefused extends Error {
  readonly status: number;
  /** Name of the refusal in the table of errors; absent where the door answers plain text. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.code = code;
    this.name = 'RequestRefused';
    this.status = status;
  }
}

/** No answer: the server is not running, or the connection broke before one came. */
export class ServerUnreachable extends Error {
  constructor(cause: unknown) {
    super('The server does not answer', { cause });
    this.name = 'ServerUnreachable';
  }
}

/** An open connection carried no byte for longer than two keep-alives: it is dead, though nothing said so. */
export class ConnectionSilent extends Error {
  constructor() {
    super('The connection is silent');
    this.name = 'ConnectionSilent';
  }
}

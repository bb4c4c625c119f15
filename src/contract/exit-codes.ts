/** Exit codes of `tuic` and of the server; documented in docs/guide/command-line.md and in `tuic --help`. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  serverNotRunning: 3,
  notFound: 4,
  alreadyRunning: 5,
  storage: 6,
  portsTaken: 7,
  /** An error nobody expected; a supervisor may start the server again, sessions live on in the pty host. */
  crash: 70,
} as const;

/** Passwords: bcrypt on the thread pool, so that a login never holds up the event loop. The module is loaded at first use. */
const COST = 12;

/** `password` has at most 72 bytes and no zero byte: bcrypt would cut it there without a word. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/bcrypt');
  return hash(password, COST);
}

/** False also for a text that is no hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const { verify } = await import('@node-rs/bcrypt');
  return verify(password, hash);
}

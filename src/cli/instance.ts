/** The instance a command line asks for. Everything that looks for an instance reads the environment, so it is put there first. */

/** Takes `--instance NAME` or `--instance=NAME` from before the verb; returns the arguments that are left. */
export function takeInstance(args: readonly string[], env: Record<string, string | undefined>): readonly string[] {
  const [first, second] = args;
  if (first === '--instance' && second !== undefined) {
    env.TUIC_INSTANCE = second;
    return args.slice(2);
  }
  if (!first?.startsWith('--instance=')) return args;
  env.TUIC_INSTANCE = first.slice('--instance='.length);
  return args.slice(1);
}

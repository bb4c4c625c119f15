/** The scripts run before anything is installed: plain Node, and the version is checked first. */
const FLOOR = [20, 19];

export function checkNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1])) return undefined;
  return `Node ${FLOOR.join('.')} or newer is needed, this is ${version}. Install it from https://nodejs.org`;
}

export function requireNodeVersion() {
  const problem = checkNodeVersion();
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}

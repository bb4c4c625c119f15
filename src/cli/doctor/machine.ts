/** Checks of the machine and of the files of the instance; they need no server. */
import { access, constants, open, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { INSTANCE_FILES } from '../../contract/index.ts';
import { whyNotOpen } from '../open-browser.ts';
import { formatBytes } from '../text.ts';
import { type Check, describeError, fail, hasCode, ok, warn } from './check.ts';

/** As `engines` in package.json; a test keeps the two equal. */
export const LEAST_NODE = '20.19';
const LITTLE_SPACE = 1_073_741_824;
const NO_SPACE = 67_108_864;
const SQLITE_MAGIC = 'SQLite format 3\0';

export const checkNode: Check = async ({ nodeVersion }) => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return [
    isEnough
      ? ok('node', nodeVersion)
      : fail('node', `${nodeVersion} is too old`, `Install Node ${LEAST_NODE} or newer`),
  ];
};

export const checkDirectory: Check = async ({ configDirectory: path, userId }) => {
  const name = 'configuration';
  let found: Awaited<ReturnType<typeof stat>>;
  try {
    found = await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [ok(name, `${path} is made at the first start`)];
    return [fail(name, `${path}: ${describeError(error)}`, 'Set TUIC_CONFIG_DIR to a folder of your own')];
  }
  if (!found.isDirectory()) return [fail(name, `${path} is no folder`, 'Move it away, or set TUIC_CONFIG_DIR')];
  if (userId !== undefined && found.uid !== userId) {
    return [fail(name, `${path} belongs to another user`, 'Set TUIC_CONFIG_DIR to a folder of your own')];
  }
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail(name, `${path} cannot be written`, `chmod 700 ${path}`)];
  }
  if (userId !== undefined && (found.mode & 0o077) !== 0) {
    return [warn(name, `others may look into ${path}`, `chmod 700 ${path}`)];
  }
  return [ok(name, path)];
};

export const checkSettings: Check = async ({ configDirectory }) => {
  const name = 'settings';
  const path = join(configDirectory, INSTANCE_FILES.config);
  try {
    JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) {
      const detail = error instanceof SyntaxError ? 'it is no JSON' : describeError(error);
      return [fail(name, `${path}: ${detail}`, 'Repair it by hand, or move it away to begin with the defaults')];
    }
  }
  const aside = (await listNames(configDirectory)).filter((file) => /^config\.json\.(?:broken|invalid)-/.test(file));
  if (aside.length === 0) return [ok(name, path)];
  return [warn(name, `set aside because of faults: ${aside.join(', ')}`, 'Take over what you need, then remove them')];
};

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

export const checkDisk: Check = async ({ configDirectory }) => {
  const name = 'disk';
  let path = configDirectory;
  for (;;) {
    try {
      const { bavail, bsize } = await statfs(path);
      const free = bavail * bsize;
      const detail = `${formatBytes(free)} free at ${path}`;
      const next = 'Make room: logs and screens of the terminals cannot be kept on a full disk';
      if (free < NO_SPACE) return [fail(name, detail, next)];
      return [free < LITTLE_SPACE ? warn(name, detail, next) : ok(name, detail)];
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
      path = dirname(path);
    }
  }
};

export const checkDatabase: Check = async ({ configDirectory }) => {
  const name = 'database';
  const path = join(configDirectory, INSTANCE_FILES.database);
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [ok(name, 'is made at the first start')];
    return [fail(name, `${path}: ${describeError(error)}`, 'Make it readable for you, or move it away')];
  }
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE_MAGIC.length), 0, SQLITE_MAGIC.length, 0);
    if (size === 0 || buffer.toString('latin1', 0, bytesRead) === SQLITE_MAGIC) {
      return [ok(name, `${path}, ${formatBytes(size)}`)];
    }
    const next = 'Stop the server, move it away and start again; running terminals are taken over';
    return [fail(name, `${path} is no database`, next)];
  } finally {
    await file.close();
  }
};

async function findOnPath(program: string, path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? '').split(delimiter).filter((part) => part !== '')) {
    const candidate = join(folder, program);
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here, or not for us: the next folder decides.
    }
  }
  return undefined;
}

export const checkBrowser: Check = async (context) => {
  const name = 'browser';
  const next = '"tuic open --print" prints the link to open yourself';
  const reason = whyNotOpen(context);
  if (reason !== undefined) return [warn(name, `none is opened: ${reason}`, next)];
  if (context.platform === 'darwin' || context.platform === 'win32') return [ok(name, 'the one of the system')];
  const opener = await findOnPath('xdg-open', context.env.PATH);
  return [opener === undefined ? warn(name, 'xdg-open is not installed', next) : ok(name, opener)];
};

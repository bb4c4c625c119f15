import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

function isExecutable(path) {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error.code === 'EACCES') return false;
    throw error;
  }
}

/** Absolute path of the first of `names` that is found on PATH. */
export function findProgram(names, path = process.env.PATH ?? '') {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const name of names) {
    for (const folder of path.split(delimiter).filter(Boolean)) {
      for (const ending of endings) {
        const candidate = join(folder, name + ending);
        if (isExecutable(candidate)) return candidate;
      }
    }
  }
  return undefined;
}

const BROWSERS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
];

const INSTALLED_BROWSERS = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = process.env[name];
    if (folder === undefined) return [];
    return [
      join(folder, 'Google/Chrome/Application/chrome.exe'),
      join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ];
  }),
};

/** Chrome, Chromium or Edge: TUIC_BROWSER first, then PATH, then the usual places. */
export function findBrowser(env = process.env) {
  const chosen = env.TUIC_BROWSER;
  if (chosen !== undefined && chosen !== '') return isExecutable(chosen) ? chosen : undefined;
  return findProgram(BROWSERS, env.PATH) ?? INSTALLED_BROWSERS[process.platform]?.find(isExecutable);
}

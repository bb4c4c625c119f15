import { opencodeScreen } from '../screens/opencode.ts';
import type { CatalogueAgent } from './model.ts';

export const opencode: CatalogueAgent = {
  id: 'opencode',
  name: 'OpenCode',
  binaries: ['opencode'],
  aliases: [],
  versionArgs: ['--version'],
  readVersion: (output) => /^v?(\d+\.\d+\.\d+\S*)$/m.exec(output)?.[1],
  // A word alone would be the folder it works in.
  launch: ['--prompt', '{prompt}'],
  isPrefillOnly: true,
  resume: ['--session', '{session}'],
  // Its title names the conversation and says nothing of its state.
  evidence: ['screen'],
  screen: opencodeScreen,
  verified: true,
};

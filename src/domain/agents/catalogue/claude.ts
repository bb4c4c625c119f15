import { claudeScreen } from '../screens/claude.ts';
import type { CatalogueAgent } from './model.ts';

export const claude: CatalogueAgent = {
  id: 'claude',
  name: 'Claude Code',
  binaries: ['claude'],
  aliases: ['claude-code'],
  versionArgs: ['--version'],
  readVersion: (output) => /^(\d\S*) \(Claude Code\)/m.exec(output)?.[1],
  launch: ['{prompt}'],
  isPrefillOnly: false,
  resume: ['--resume', '{session}'],
  // It speaks OSC 7501 to a terminal that answers the query for it, and moves its title when it does not.
  evidence: ['program-status', 'hooks', 'title', 'screen'],
  screen: claudeScreen,
  verified: true,
};

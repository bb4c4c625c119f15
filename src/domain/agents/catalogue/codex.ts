import { codexScreen } from '../screens/codex.ts';
import type { CatalogueAgent } from './model.ts';

export const codex: CatalogueAgent = {
  id: 'codex',
  name: 'Codex',
  binaries: ['codex'],
  aliases: [],
  versionArgs: ['--version'],
  readVersion: (output) => /^codex-cli (\d\S*)/m.exec(output)?.[1],
  launch: ['{prompt}'],
  isPrefillOnly: true,
  resume: ['resume', '{session}'],
  evidence: ['program-status', 'hooks', 'title', 'screen'],
  screen: codexScreen,
  verified: true,
};

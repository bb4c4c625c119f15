import { geminiScreen } from '../screens/gemini.ts';
import type { CatalogueAgent } from './model.ts';

export const gemini: CatalogueAgent = {
  id: 'gemini',
  name: 'Gemini CLI',
  binaries: ['gemini'],
  aliases: ['gemini-cli'],
  versionArgs: ['--version'],
  readVersion: (output) => /^v?(\d+\.\d+\.\d+\S*)$/m.exec(output)?.[1],
  launch: ['{prompt}'],
  isPrefillOnly: false,
  resume: ['--resume', '{session}'],
  evidence: ['hooks', 'title', 'screen'],
  screen: geminiScreen,
  verified: true,
};

import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const copilot: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'copilot',
  name: 'Copilot CLI',
  binaries: ['copilot'],
  aliases: ['copilot-cli'],
  resume: ['--resume', '{session}'],
};

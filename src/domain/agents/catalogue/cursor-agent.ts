import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const cursorAgent: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'cursor',
  name: 'Cursor Agent',
  binaries: ['cursor-agent'],
  aliases: ['cursor-agent'],
  launch: ['{prompt}'],
  resume: ['--resume', '{session}'],
};

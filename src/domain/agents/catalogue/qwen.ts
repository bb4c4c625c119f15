import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const qwen: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'qwen',
  name: 'Qwen Code',
  binaries: ['qwen'],
  aliases: ['qwen-code'],
  resume: ['--resume', '{session}'],
};

import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const droid: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'droid',
  name: 'Droid',
  binaries: ['droid'],
  launch: ['{prompt}'],
  resume: ['--resume', '{session}'],
};

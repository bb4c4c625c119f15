import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const amp: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'amp',
  name: 'Amp',
  binaries: ['amp'],
  launch: ['{prompt}'],
  resume: ['threads', 'continue', '{session}'],
};

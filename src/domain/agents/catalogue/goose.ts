import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const goose: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'goose',
  name: 'Goose',
  binaries: ['goose'],
  launch: ['session', '{prompt}'],
  resume: ['session', '--resume', '--session-id', '{session}'],
  evidence: ['screen'],
};

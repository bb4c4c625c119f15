import { grokScreen } from '../screens/unverified.ts';
import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const grok: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'grok',
  name: 'Grok',
  binaries: ['grok'],
  launch: ['{prompt}'],
  evidence: ['hooks', 'screen'],
  screen: grokScreen,
};

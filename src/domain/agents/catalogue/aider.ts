import { aiderScreen } from '../screens/unverified.ts';
import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const aider: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'aider',
  name: 'Aider',
  binaries: ['aider'],
  launch: ['--yes-always', '--message', '{prompt}'],
  evidence: ['screen'],
  screen: aiderScreen,
};

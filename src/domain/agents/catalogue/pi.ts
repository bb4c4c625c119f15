import { piScreen } from '../screens/unverified.ts';
import { type CatalogueAgent, UNVERIFIED } from './model.ts';

export const pi: CatalogueAgent = {
  ...UNVERIFIED,
  id: 'pi',
  name: 'pi',
  binaries: ['pi'],
  evidence: ['screen'],
  screen: piScreen,
};

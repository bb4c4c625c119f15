export { SessionEvidence } from './evidence.ts';

export { CATALOGUE, type CatalogueAgent, findAgent } from './catalogue/index.ts';
export { type AgentDetection, createAgentDetection } from './detection.ts';
export { SessionEvidence } from './evidence.ts';
export { createAgentRecogniser, type RecogniseAgent } from './foreground.ts';
export { type AgentLauncher, createAgentLauncher } from './launch.ts';

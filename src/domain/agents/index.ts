export { findBackgroundWork } from './background.ts';
export { CATALOGUE, type CatalogueAgent, findAgent } from './catalogue/index.ts';
export { type Conversations, createConversations } from './conversations.ts';
export { type AgentDetection, createAgentDetection } from './detection.ts';
export { SessionEvidence } from './evidence.ts';
export { createAgentRecogniser, createProgramRecogniser, type RecogniseAgent } from './foreground.ts';
export { type AgentLauncher, createAgentLauncher } from './launch.ts';
export { type AppOpener, createAppOpener } from './open-in-app.ts';
export { type AgentResumer, createAgentResumer } from './resume.ts';

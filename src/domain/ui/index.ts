export { type ConfirmPublish, PendingConfirms, type Question } from './confirms.ts';
export { createPictureFiles, type PictureFiles } from './pictures.ts';
export { followSessionEnds } from './session-ends.ts';
export { AgentTabs, type TabContent, type TabPublish } from './tabs.ts';
export { resolveSound } from './toast.ts';
export { type WindowPublish, WindowService, type WorkspaceWindows } from './window-service.ts';

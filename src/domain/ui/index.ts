export { type ConfirmPublish, PendingConfirms, type Question } from './confirms.ts';
export { createPictureFiles, type PictureFiles } from './pictures.ts';
export { resolveSound } from './toast.ts';
export { type WindowPublish, WindowService, type WorkspaceWindows } from './window-service.ts';

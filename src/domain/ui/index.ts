export { type ConfirmPublish, PendingConfirms, type Question } from './confirms.ts';
export { resolveSound } from './toast.ts';

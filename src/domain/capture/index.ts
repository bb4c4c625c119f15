export { type ReplayedScreen, replayCapture } from './replay.ts';
export { type CaptureService, createCaptureService } from './service.ts';

export { mailMigrations } from './mail-store.ts';
export { type MailRoom, openMailRoom } from './open.ts';
export { type LineTyper, type MailSessions, nobodyTypes, type Presence, type TypingOutcome } from './ports.ts';
export type { MailService } from './service.ts';
export { createSessionTyper, type TerminalLines } from './session-typer.ts';

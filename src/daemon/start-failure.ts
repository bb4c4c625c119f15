/** Why a server did not start: one message with the next step, and the exit code that a script can act on. */
import { AppError, type ErrorCode, EXIT_CODES } from '../contract/index.ts';

const EXIT_CODE_BY_ERROR: Partial<Record<ErrorCode, number>> = {
  invalid_input: EXIT_CODES.usage,
  server_running: EXIT_CODES.alreadyRunning,
  storage_failed: EXIT_CODES.storage,
  storage_damaged: EXIT_CODES.storage,
  storage_newer: EXIT_CODES.storage,
  ports_taken: EXIT_CODES.portsTaken,
};

/** What the system says when a folder cannot be used, in words. */
const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file is in the way',
  EIO: 'the disk reports an error',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

export interface StartFailure {
  message: string;
  exitCode: number;
}

function systemReason(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && SYSTEM_REASONS[at.code] !== undefined)
      return SYSTEM_REASONS[at.code];
  }
  return undefined;
}

/** Undefined for what nobody expects: that is a fault of ours and deserves its stack. */
export function describeStartFailure(error: unknown, configDirectory: string): StartFailure | undefined {
  const reason = systemReason(error);
  if (reason !== undefined && (!(error instanceof AppError) || error.code === 'storage_failed')) {
    const next = reason === SYSTEM_REASONS.ENOSPC ? 'Free some space, or set' : 'Make it writable, or set';
    return {
      message: `The configuration directory ${configDirectory} cannot be written: ${reason}. ${next} TUIC_CONFIG_DIR to another directory`,
      exitCode: EXIT_CODES.storage,
    };
  }
  if (!(error instanceof AppError)) return undefined;
  return { message: error.message, exitCode: EXIT_CODE_BY_ERROR[error.code] ?? EXIT_CODES.failure };
}

import type { ViewerSink } from '../model.ts';
import type { StreamEnd } from './stream-source.ts';

/** The last frames of every stream: how the program ended, where it did, and that nothing follows. */
export function tellEnd(sink: ViewerSink, session_id: string, { hasExited, exitCode, reason }: StreamEnd): void {
  if (hasExited) sink.frame({ type: 'exit', session_id, ...(exitCode === undefined ? {} : { exit_code: exitCode }) });
  sink.frame({ type: 'closed', session_id, reason });
  sink.end(reason);
}

/** What agents may ask of the person's window, joined to the log: each script leaves a record, whatever came of it. */
import { type Clock, type Disposable, DisposableStore, type Ids } from '../../base/index.ts';
import {
  AppError,
  DEADLINES,
  type EventData,
  type InvokedScript,
  LIMITS,
  type LogInput,
  type ScriptOutcome,
  type TakenPicture,
} from '../../contract/index.ts';
import { checkPicture, type Picture, type PictureFiles } from './pictures.ts';
import { toScriptModule } from './script-module.ts';
import { WindowRequests } from './window-requests.ts';

/** Read the results by it: `logs` with this source. */
const SCRIPT_SOURCE = 'eval_js';
/** Characters of a script that its record shows. */
const SCRIPT_SHOWN = 2_000;
const HINT = `also in the log under source ${SCRIPT_SOURCE}; statements give their value by return`;

export interface WorkspaceWindows {
  focusedWorkspace(): string | undefined;
  onLeave(listener: (clientId: string) => void): Disposable;
}

export type WindowPublish = <N extends 'debug-invoke-js' | 'ui-screenshot'>(name: N, data: EventData[N]) => void;

export interface WindowServiceDependencies {
  clock: Clock;
  ids: Ids;
  windows: WorkspaceWindows;
  publish: WindowPublish;
  log: { add(entry: LogInput): void };
  files: PictureFiles;
}

interface AskedScript {
  script: string;
  module: string;
}

export class WindowService implements Disposable {
  readonly #log: WindowServiceDependencies['log'];
  readonly #scripts: WindowRequests<AskedScript, ScriptOutcome>;
  readonly #pictures: WindowRequests<string, Picture | { error: string }>;
  readonly #files: PictureFiles;
  readonly #disposables = new DisposableStore();

  constructor({ clock, ids, windows, publish, log, files }: WindowServiceDependencies) {
    this.#log = log;
    this.#files = files;
    const focusedWorkspace = () => windows.focusedWorkspace();
    this.#scripts = this.#disposables.add(
      new WindowRequests<AskedScript, ScriptOutcome>({
        clock,
        ids,
        deadline: DEADLINES.windowScript,
        focusedWorkspace,
        announce: (request_id, client_id, { script }) => publish('debug-invoke-js', { request_id, client_id, script }),
      }),
    );
    this.#pictures = this.#disposables.add(
      new WindowRequests<string, Picture | { error: string }>({
        clock,
        ids,
        deadline: DEADLINES.windowPicture,
        focusedWorkspace,
        announce: (request_id, client_id, id) => publish('ui-screenshot', { request_id, client_id, id }),
      }),
    );
    this.#disposables.add(
      windows.onLeave((clientId) => {
        this.#scripts.leave(clientId);
        this.#pictures.leave(clientId);
      }),
    );
  }

  /** Runs it in the window that a person looked at last. */
  async invoke(script: string, signal: AbortSignal): Promise<InvokedScript> {
    const module = toScriptModule(script);
    try {
      const { requestId, clientId, answer } = await this.#scripts.ask({ script, module }, signal);
      const asked = { client_id: clientId, request_id: requestId };
      const isFailure = 'error' in answer;
      this.#record(isFailure ? 'error' : 'info', isFailure ? answer.error : JSON.stringify(answer.result), {
        ...asked,
        script: script.slice(0, SCRIPT_SHOWN),
      });
      return isFailure ? { ...asked, error: answer.error } : { ...asked, ok: true, result: answer.result, hint: HINT };
    } catch (error) {
      if (error instanceof AppError) this.#record('error', error.message, { script: script.slice(0, SCRIPT_SHOWN) });
      throw error;
    }
  }

  /** The module of a script, while it is waited for. */
  scriptModule(requestId: string): string {
    return this.#scripts.asked(requestId).module;
  }

  answerScript(requestId: string, clientId: string | undefined, outcome: ScriptOutcome): void {
    if ('result' in outcome && JSON.stringify(outcome.result).length > LIMITS.windowResult) {
      throw new AppError('invalid_input', { detail: `result: longer than ${LIMITS.windowResult} characters as JSON` });
    }
    this.#scripts.answer(requestId, clientId, outcome);
  }

  /** A file with what the window that a person looked at last shows of this terminal. */
  async takePicture(id: string, signal: AbortSignal): Promise<TakenPicture> {
    const { clientId, answer } = await this.#pictures.ask(id, signal);
    if ('error' in answer) throw new AppError('picture_refused', { detail: answer.error });
    const path = await this.#files.save(answer);
    return { ok: true, path, size_bytes: answer.bytes.length, client_id: clientId };
  }

  /** `body` is the picture, or why there is none. */
  answerPicture(requestId: string, clientId: string | undefined, body: { type: string; bytes: Buffer } | string): void {
    const answer = typeof body === 'string' ? { error: body } : checkPicture(body.type, body.bytes);
    this.#pictures.answer(requestId, clientId, answer);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #record(level: LogInput['level'], text: string, particulars: Record<string, string>): void {
    const message = text.slice(0, LIMITS.logMessage);
    const data = text.length > message.length ? { ...particulars, is_cut: true } : particulars;
    this.#log.add({ level, source: SCRIPT_SOURCE, message, data_json: JSON.stringify(data), audience: 'diagnostic' });
  }
}

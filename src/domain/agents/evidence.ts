/**
 * What one session's program is doing, from evidence (mcp.md 9): a pure function of timed inputs.
 *
 * Owns the state of one session; its parts stand in `engine/`. Order of strength (STM-9): what the program says of itself (OSC
 * 7501), hook and shell markers, rows of the screen, silence. A weaker source never overrides a stronger one that stands;
 * nothing is known before the first observation. Times are those of the caller's monotonic clock; nothing here waits.
 */
import { DEADLINES, HOOK_MARKER, LIMITS } from '../../contract/index.ts';
import type {
  ActivityEvidence,
  ActivityReader,
  ComposerState,
  ForegroundProgram,
  ProgramActivity,
  ScreenRows,
  TypingClaim,
  TypingRefusal,
} from '../sessions/index.ts';
import { type CatalogueAgent, findAgent } from './catalogue/index.ts';
import { AgentIdentity } from './engine/agent-identity.ts';
import { BackgroundWork } from './engine/background.ts';
import { parseCheckpoint } from './engine/checkpoint.ts';
import { ComposerTracker } from './engine/composer.ts';
import { ExplicitEvidence } from './engine/explicit.ts';
import { readHookMarker } from './engine/hook-marker.ts';
import { PrintedEvidence } from './engine/printed.ts';
import { isAnswer, type QuestionEvidence, Questions } from './engine/questions.ts';
import { ReadyConfirmation } from './engine/ready.ts';
import { type Look, RowEvidence } from './engine/rows.ts';
import { readTask } from './engine/status-line.ts';
import { Turn } from './engine/turn.ts';
import type { ProgramStatusTable } from './program-status.ts';
import { NOTHING_SEEN } from './screens/model.ts';

type ShellState = NonNullable<ProgramActivity['shell_state']>;
type AgentState = NonNullable<ProgramActivity['agent_state']>;
type ShellStateBy = NonNullable<ActivityEvidence['shell_state_by']>;

/** Words from which on a prompt says what the agent is about (http.md 4). */
const LONG_PROMPT = 10;

/** A dialog that is still there so long after its answer was not answered. */
const ANSWER_SHOWN = 2_000;

/** What is concluded from rows, output and silence while nothing stronger stands. */
interface Conclusion {
  state: ShellState;
  by: ShellStateBy;
  isConfirmed: boolean;
}

export interface EvidenceOptions {
  /** Of the hook markers of this session (STM-51); without it none is taken. */
  hookNonce?: string | undefined;
  /** Somebody reads the process table, and looks what runs in front, when it is wanted (STM-33, STM-36). */
  hasProcessTable?: boolean;
  /** The catalogue, or a test's own. */
  findAgent?: typeof findAgent;
}

export class SessionEvidence implements ActivityReader {
  readonly #identity: AgentIdentity;
  readonly #findAgent: typeof findAgent;
  readonly #explicit = new ExplicitEvidence();
  readonly #rows = new RowEvidence();
  readonly #composer = new ComposerTracker();
  readonly #ready = new ReadyConfirmation();
  readonly #turn = new Turn();
  readonly #questions = new Questions();
  readonly #printed = new PrintedEvidence();
  readonly #background: BackgroundWork;
  readonly #hookNonce: string | undefined;
  #conversation: string | undefined;
  /** Hook markers without the nonce of this session, or of no known form. */
  #foreignMarkers = 0;
  #concluded: Conclusion | undefined;
  #now = 0;
  /** Newest output that was more than decoration (STM-6). */
  #lastReal: number | undefined;
  /** When idle was last found; movement counts against it only from one look after it to the next (STM-34). */
  #idleAt = Number.NEGATIVE_INFINITY;
  #progress: number | undefined;
  #task: string | undefined;
  #lastPrompt: string | undefined;
  /** A dialog that was answered, and when: an agent takes its time to take it off the screen. */
  #answered: { title: string; at: number } | undefined;
  #hasEnded = false;

  /** `declaredType`: the agent that the session was opened for. */
  constructor(declaredType?: string, options: EvidenceOptions = {}) {
    const hasProcessTable = options.hasProcessTable ?? false;
    this.#identity = new AgentIdentity(declaredType, hasProcessTable);
    this.#background = new BackgroundWork(hasProcessTable);
    this.#findAgent = options.findAgent ?? findAgent;
    this.#hookNonce = options.hookNonce;
  }

  get status(): ProgramStatusTable {
    return this.#explicit.status;
  }

  get isAgent(): boolean {
    return this.#agentType !== undefined;
  }

  get epoch(): number {
    return this.#turn.epoch;
  }

  get composer(): ComposerState {
    return this.#composer.state;
  }

  // --- what comes in -------------------------------------------------------------------------------------------------

  output(at: number): void {
    this.#now = at;
    // Once the rows of an agent are read, they tell what its output means.
    if (this.isAgent && this.#rows.lookedAt !== undefined) return;
    this.#lastReal = at;
    this.#conclude('busy', 'output');
  }

  command(code: number, data: string, at = this.#now): void {
    this.#now = at;
    const type = this.#agentType;
    if (code === 7501) {
      if (data !== '?') this.#takeStatus(data);
    } else if (code === 133) this.#takeMark(data);
    else if (code === HOOK_MARKER) this.#takeHook(data);
    else if (code === 9 && data.startsWith('4;')) this.#report(data);
    this.#followIdentity(type);
  }

  title(title: string, at: number): void {
    this.#now = at;
    this.#questions.title(title);
  }

  /** What runs in front, as the process table says. */
  foreground(program: ForegroundProgram | null, at: number): void {
    this.#now = at;
    const type = this.#agentType;
    this.#identity.foreground(program);
    this.#followIdentity(type);
  }

  /** The agent's own id of its conversation, as its hook told it. */
  get conversation(): string | undefined {
    return this.#conversation;
  }

  get wantsForeground(): boolean {
    return this.isAgent && !this.#hasEnded && this.#identity.isDoubtful;
  }

  get wantsProcesses(): boolean {
    return this.isAgent && !this.#hasEnded && this.#background.isWanted;
  }

  processes(work: readonly string[] | null, at: number): void {
    this.#background.take(work, at, this.epoch);
    this.#settlePrinted();
  }

  screen(view: ScreenRows, at: number): void {
    this.#now = at;
    const agent = this.#agent;
    if (agent === undefined) return;
    const isFirstLook = this.#rows.rows.length === 0;
    const lookedBefore = this.#rows.lookedAt ?? at;
    const wasWorking = this.#rows.reading.state === 'working';
    const look = this.#rows.look(view, agent.screen, at);
    const { dialog } = look.reading;
    if (dialog?.title !== this.#answered?.title || at - (this.#answered?.at ?? at) >= ANSWER_SHOWN) {
      this.#answered = undefined;
    }
    const isWorking = look.reading.state === 'working';
    if (isWorking) {
      this.#task = readTask(view.rows) ?? this.#task;
      // It appeared, or moved, between two looks after idle was found: it is no row that was left over (STM-34).
      const isAlive = lookedBefore > this.#idleAt && (!wasWorking || look.hasChanged);
      if (look.isOther && !this.#composer.isEcho(at)) this.#lastReal = at;
      if (!this.#rows.isInResizeGrace(at)) this.#takeWorking(isAlive);
    }
    this.#takeMovement(look, isWorking, at);
    this.#ready.see(look.reading.state, look.movement !== 'none', at);
    this.#composer.see(look.reading, this.#isVerified, at, at);
    if (look.reading.state === 'interrupted' && this.#turn.hasInterruptRequest(at)) this.#confirm();
    if (look.isOther || isFirstLook) {
      const { epoch } = this;
      this.#printed.look({ rows: view.rows, reading: look.reading, agentType: agent.id, epoch, at });
    }
    this.#settlePrinted();
  }

  input(bytes: Uint8Array, at: number): void {
    this.#now = at;
    const { dialog } = this.#asked.reading;
    const isKey = dialog !== undefined && isAnswer(dialog, Buffer.from(bytes).toString('latin1'));
    for (const event of this.#composer.feed(bytes, at)) {
      if (event.type !== 'submitted') {
        this.#turn.interrupt(at);
        this.#identity.doubt();
      }
      // An empty line answers a question and is nothing otherwise.
      else if (event.text.trim() !== '' || this.#isAsking) this.#submit(event.text);
    }
    if (isKey) this.#answer();
  }

  inputLost(): void {
    this.#composer.lose();
  }

  resized(at: number): void {
    this.#now = at;
    this.#rows.resized(at);
  }

  tick(at: number): boolean {
    this.#now = at;
    const before = this.#shellStateBy;
    this.#composer.see(this.#rows.reading, this.#isVerified, this.#rows.lookedAt ?? Number.NEGATIVE_INFINITY, at);
    if (this.#ready.isStable(at)) this.#confirm();
    if (this.#isSilent(at)) this.#conclude('idle', 'silence');
    this.#printed.tick(at);
    this.#settlePrinted();
    return this.#shellStateBy !== before;
  }

  dueAt(): number | undefined {
    const times = [this.#composer.dueAt, this.#readyDueAt, this.#silentAt, this.#printed.dueAt].filter(
      (time) => time !== undefined,
    );
    if (this.#hasEnded || times.length === 0) return undefined;
    // What has come due and still cannot be concluded waits for something else; it is looked at each second (STM-3).
    return Math.min(...times.map((time) => (time > this.#now ? time : this.#now + DEADLINES.stateTick)));
  }

  /** Everything that counts time begins anew (STM-10). */
  woke(at: number): void {
    this.#now = at;
    if (this.#lastReal !== undefined) this.#lastReal = at;
    this.#ready.restart(at);
  }

  /** The program has ended: nothing it said stands any more. */
  end(): void {
    this.#explicit.end();
    this.#hasEnded = true;
    this.#progress = undefined;
  }

  claim(): TypingClaim | TypingRefusal {
    const refusal = this.typingRefusal();
    if (refusal !== undefined) return refusal;
    return this.#turn.claim((outcome, isCounted) => {
      if (outcome === 'untouched') return;
      if (!isCounted) this.#submit();
      if (outcome === 'submitted') {
        if (!isCounted) this.#composer.cleared();
        return;
      }
      this.#turn.markUncertain();
      this.#composer.lose();
    });
  }

  // --- what it means -------------------------------------------------------------------------------------------------

  #takeStatus(data: string): void {
    if (!this.#explicit.status.take(data)) return;
    this.#turn.explicit();
    const own = this.#explicit.status.own;
    if (own?.app !== undefined) this.#identity.named(this.#findAgent(own.app)?.id);
    if (own === undefined) return;
    if (own.state === 'working') {
      this.#background.busy();
      this.#work();
    } else this.#becomeIdle();
  }

  #takeHook(data: string): void {
    const marker = readHookMarker(data, this.#hookNonce);
    if (marker === undefined) this.#foreignMarkers++;
    else if (marker.verb === 'session') this.#conversation = marker.id;
    else {
      this.#explicit.takeHook(marker.state);
      if (marker.state === 'busy') {
        this.#background.busy();
        this.#work();
        return;
      }
      this.#turn.explicit();
      this.#becomeIdle();
    }
  }

  #takeMark(data: string): void {
    const mark = data.split(';')[0];
    if (mark === 'C') this.#explicit.takeShellMark('busy');
    if (mark !== 'A' && mark !== 'D') return;
    this.#progress = undefined;
    this.#becomeIdle();
    this.#turn.explicit();
    if (mark === 'A') {
      this.#explicit.takePrompt();
      this.#identity.prompt();
      this.#identity.doubt();
    } else this.#explicit.takeShellMark('idle');
  }

  /** Another program is in front than before: what rows and marks of the one before said is not about it. */
  #followIdentity(before: string | undefined): void {
    const now = this.#agentType;
    if (now === before) return;
    this.#rows.reset();
    // Found anew after a restart it is the one that printed what was stored.
    if (before !== undefined) this.#printed.reset();
    this.#ready.restart(undefined);
    this.#turn.active();
    this.#background.reset();
    if (now !== undefined && before === undefined) this.#explicit.forgetStart();
  }

  #takeMovement(look: Look, isWorking: boolean, at: number): void {
    if (look.movement !== 'none' || look.hasNewLine) this.#turn.active();
    if (look.movement === 'none') return;
    const wasIdle = this.#shellState === 'idle';
    if (!isWorking && wasIdle && this.#composer.isEcho(at)) return;
    this.#lastReal = at;
    // An agent that has ended leaves its idle behind, and what is written then is the prompt of a shell.
    if (wasIdle && look.movement === 'output') this.#identity.doubt();
    if (this.#concluded?.state !== 'busy') this.#conclude('busy', 'output');
  }

  #takeWorking(isAlive: boolean): void {
    const standing = this.#explicit.standing();
    if (standing?.by === 'program_status') return;
    const isIdleForSure =
      standing?.state === 'idle' || (this.#concluded?.state === 'idle' && this.#concluded.isConfirmed);
    // A working row may be left over on the screen of a turn that has ended; only one that moves is alive (STM-34).
    if (isIdleForSure && !isAlive) return;
    if (isAlive) this.#work();
    if (standing?.state === 'idle') this.#explicit.releaseMarks();
    this.#lastReal ??= this.#now;
    this.#turn.explicit();
    this.#conclude('busy', 'screen');
  }

  /** The screen has been ready for long enough, or shows the interrupt that was asked for (STM-20..24). */
  #confirm(): void {
    if (this.#explicit.isHeldByProgram || !this.#turn.mayEnd) return;
    if (this.#explicit.standing()?.state === 'busy') this.#explicit.releaseMarks();
    this.#conclude('idle', 'ready_screen', this.#isVerified);
  }

  #submit(text = ''): void {
    this.#turn.submit();
    if (!this.isAgent) return;
    if (text.trim().split(/\s+/).length >= LONG_PROMPT) this.#lastPrompt = text.trim().slice(0, LIMITS.statusText);
    this.#questions.answered();
    this.#printed.submitted();
    this.#noteAnswer();
    this.#task = undefined;
    this.#explicit.submitted();
    this.#ready.restart(undefined);
    this.#lastReal = this.#now;
    this.#conclude('busy', 'submission');
  }

  /** A dialog was answered by a key of its own: the turn goes on (STM-44). */
  #answer(): void {
    this.#questions.answered();
    this.#noteAnswer();
    this.#explicit.answered();
    this.#lastReal = this.#now;
    this.#ready.restart(undefined);
    this.#conclude('busy', 'submission');
  }

  /** It goes on: what it said at its last end is over (STM-34). */
  #work(): void {
    this.#printed.worked(this.epoch);
    this.#printed.reopen();
  }

  /** Idle, by more than silence where its adapter can tell, and nothing at work beside it (MRK-5). */
  #settlePrinted(): void {
    const isAtWork = this.#explicit.status.hasLiveChild || this.#background.isRunning || this.#background.isPending;
    const isIdle = this.#shellState === 'idle' && (this.#isConfirmed || !this.#isVerified);
    this.#printed.settle(this.epoch, isIdle && !isAtWork && !this.#isAsking);
  }

  #noteAnswer(): void {
    const { dialog } = this.#rows.reading;
    this.#answered = dialog === undefined ? undefined : { title: dialog.title, at: this.#now };
  }

  #becomeIdle(): void {
    this.#idleAt = this.#now;
    this.#background.idle(this.#now);
  }

  #conclude(state: ShellState, by: ShellStateBy, isConfirmed = false): void {
    const before = this.#concluded;
    this.#concluded = { state, by, isConfirmed };
    // While something stronger stands, this is no change of what is told.
    if (this.#explicit.standing() !== undefined) return;
    if (state === 'busy') this.#background.busy();
    else if (before?.state !== 'idle' || (isConfirmed && !before.isConfirmed)) this.#becomeIdle();
  }

  /** OSC 9;4;state;value: 0 takes it away, 1 to 4 show it. */
  #report(data: string): void {
    const [, state, value] = data.split(';');
    if (state === '0') this.#progress = undefined;
    else if (state !== undefined && /^[1-4]$/.test(state)) {
      const number = Number(value);
      this.#progress = value !== undefined && /^\d{1,3}$/.test(value) && number <= 100 ? number : this.#progress;
    }
  }

  // --- time ----------------------------------------------------------------------------------------------------------

  get #silentAt(): number | undefined {
    if (this.#concluded?.state !== 'busy' || this.#lastReal === undefined) return undefined;
    if (!this.isAgent) return this.#lastReal + DEADLINES.shellSilence;
    // One that has shown nothing since the submission has not begun; it is given longer.
    return this.#lastReal + (this.#turn.hasActivity ? DEADLINES.agentSilence : DEADLINES.questionSilence);
  }

  #isSilent(at: number): boolean {
    if (this.#silentAt === undefined || at < this.#silentAt) return false;
    // Rows are stronger than silence, unless nothing has moved for so long that they are left over (STM-4).
    const isShownBusy = this.isAgent && (this.#rows.reading.state === 'working' || this.#subTasks > 0);
    return !isShownBusy || at - (this.#lastReal ?? at) >= DEADLINES.staleMovement;
  }

  get #readyDueAt(): number | undefined {
    const isConcluded = this.#concluded?.by === 'ready_screen';
    return isConcluded || this.#explicit.standing()?.by === 'program_status' ? undefined : this.#ready.stableAt;
  }

  // --- what is told --------------------------------------------------------------------------------------------------

  typingRefusal(): TypingRefusal | undefined {
    if (!this.isAgent || this.#identity.isShell || this.#hasEnded) return 'not_managed';
    const { state } = this.#rows.reading;
    if (this.#questions.isConfident(this.#asked) || state === 'dialog') return 'dialog_open';
    if (this.#shellState !== 'idle') return 'not_idle';
    if (!this.#isConfirmed || state === 'working' || this.#identity.isDoubtful) return 'unconfirmed';
    // A screen that its adapter knew before and does not know now is drawn by something else.
    if (this.#isVerified && this.#rows.isRecognised && state === 'unknown') return 'unconfirmed';
    return this.composer === 'empty' || this.composer === 'cleared' ? undefined : 'composer_not_empty';
  }

  read(): ProgramActivity {
    const own = this.#explicit.status.own;
    const agentType = this.#agentType;
    // A turn that is completed counts as idle whatever is painted after it (http.md 4).
    const isCompleted = this.isAgent && this.#printed.isCompleted(this.epoch);
    const shellState = isCompleted ? 'idle' : this.#shellState;
    const backgroundWork = this.#explicit.status.hasLiveChild || this.#background.isRunning;
    const progress = own?.progress ?? this.#progress;
    return {
      awaiting_input: this.#isAsking,
      ...this.#printed.read(this.epoch, this.#now),
      ...this.#questions.read(this.#asked),
      ...(shellState === undefined ? {} : { shell_state: shellState }),
      ...(agentType === undefined ? {} : this.#readAgent(agentType, shellState, backgroundWork)),
      ...(backgroundWork ? { background_work: true } : {}),
      ...(own?.state === 'error' && own.message !== undefined ? { last_error: own.message } : {}),
      ...(progress === undefined ? {} : { progress }),
    };
  }

  /** Only told of an agent. */
  #readAgent(type: string, shellState: ShellState | undefined, backgroundWork: boolean): Partial<ProgramActivity> {
    const isAsking = this.#isAsking;
    const subTasks = this.#subTasks;
    return {
      agent_type: type,
      agent_state: agentStateOf({
        isAsking,
        isAtWork: backgroundWork || this.#background.isPending,
        isCompleted: this.#printed.isCompleted(this.epoch),
        shellState,
      }),
      ...(this.#task === undefined || shellState !== 'busy' ? {} : { current_task: this.#task }),
      ...(this.#lastPrompt === undefined ? {} : { last_prompt: this.#lastPrompt }),
      ...(subTasks === 0 ? {} : { active_sub_tasks: subTasks }),
    };
  }

  explain(): ActivityEvidence {
    const by = this.#shellStateBy;
    const typeBy = this.#identity.by;
    const refusal = this.typingRefusal();
    const isAgent = this.isAgent;
    return {
      ...(typeBy === undefined ? {} : { agent_type_by: typeBy }),
      ...(by === undefined ? {} : { shell_state_by: by }),
      ...(isAgent && by !== undefined ? { is_confirmed: this.#isConfirmed } : {}),
      ...(isAgent ? { turn_epoch: this.epoch, composer: this.composer, screen: this.#rows.reading.state } : {}),
      ...(isAgent && refusal !== undefined ? { typing_refusal: refusal } : {}),
      program_status: this.#explicit.status.state(),
      dropped_reports: this.#explicit.status.dropped,
      ...(this.#foreignMarkers === 0 ? {} : { foreign_markers: this.#foreignMarkers }),
    };
  }

  checkpoint(): unknown {
    return {
      version: 1,
      epoch: this.#turn.epoch,
      hasActivity: this.#turn.hasActivity,
      named: this.#identity.name,
      conversation: this.#conversation,
      explicit: this.#explicit.checkpoint(),
      printed: this.#printed.checkpoint(),
      background: this.#background.checkpoint(),
    };
  }

  /** Rows and silence are found anew; what was typed without being seen is unknown (D15). */
  restore(state: unknown): void {
    this.#composer.lose();
    const stored = parseCheckpoint(state);
    if (stored === undefined) return;
    this.#turn.restore(stored.epoch, stored.hasActivity);
    this.#identity.named(stored.named);
    this.#conversation = stored.conversation;
    this.#explicit.restore(stored.explicit);
    this.#printed.restore(stored.printed);
    this.#background.restore(stored.background);
  }

  get #agent(): CatalogueAgent | undefined {
    const type = this.#agentType;
    return type === undefined ? undefined : this.#findAgent(type);
  }

  get #agentType(): string | undefined {
    return this.#identity.type;
  }

  /** Its adapter may confirm what it reads. */
  get #isVerified(): boolean {
    const agent = this.#agent;
    return agent?.verified === true && agent.screen !== undefined;
  }

  get #asked(): QuestionEvidence {
    // A dialog that was answered stands on the screen until it is painted again.
    const reading = this.#answered === undefined ? this.#rows.reading : NOTHING_SEEN;
    return { own: this.#explicit.status.own, hook: this.#explicit.hook, reading };
  }

  get #isAsking(): boolean {
    return !this.#hasEnded && this.#questions.isOpen(this.#asked);
  }

  /** As the screen counts them, while something moves (STM-4). */
  get #subTasks(): number {
    const isStale = this.#now - (this.#lastReal ?? this.#now) >= DEADLINES.staleMovement;
    return isStale ? 0 : (this.#rows.reading.subTasks ?? 0);
  }

  get #isConfirmed(): boolean {
    if (this.#hasEnded || this.#turn.isTyping) return false;
    return this.#explicit.standing()?.state === 'idle' || this.#concluded?.isConfirmed === true;
  }

  get #shellStateBy(): ShellStateBy | undefined {
    if (this.#hasEnded) return this.#concluded === undefined ? undefined : 'exit';
    if (this.#turn.isTyping) return 'typing';
    return this.#explicit.standing()?.by ?? this.#concluded?.by;
  }

  get #shellState(): ShellState | undefined {
    const by = this.#shellStateBy;
    if (by === undefined) return undefined;
    if (by === 'exit') return 'idle';
    if (by === 'typing') return 'busy';
    return this.#explicit.standing()?.state ?? this.#concluded?.state;
  }
}

interface AgentFacts {
  isAsking: boolean;
  /** Also while nobody knows yet what it left running. */
  isAtWork: boolean;
  isCompleted: boolean;
  shellState: ShellState | undefined;
}

/** mcp.md 9.4; what shows work after a completion has taken it back before. */
function agentStateOf({ isAsking, isAtWork, isCompleted, shellState }: AgentFacts): AgentState {
  if (isAsking) return 'awaiting_input';
  if (isAtWork) return 'working';
  if (isCompleted) return 'completed';
  if (shellState === 'busy') return 'working';
  return shellState === 'idle' ? 'idle' : 'starting';
}

type Message = Record<string, unknown>;

export interface FakeSwitches {
  tools?: readonly Message[];
  /** Answers with the number of the request as text. */
  stringIds?: boolean;
  /** Says a lot, and asks something, before its first answer. */
  early?: boolean;
  /** This method is never answered. */
  hangs?: string;
  modernOnly?: boolean;
  /** Its list has no tools in it. */
  noTools?: boolean;
  /** Its resources and prompts: the capabilities, each list's answer by its method, and what a resource says. */
  content?: Message;
}

export const RICH_RESULT: Message;
export const EXACT_NUMBER: string;
export function toLine(message: Message): string;
export const BASIC_TOOLS: readonly Message[];

export class FakeUpstream {
  constructor(switches?: FakeSwitches);
  switches: FakeSwitches;
  tools: readonly Message[];
  readonly received: Message[];
  /** Calls of tools that were run. */
  runs: number;
  messages(method: string): Message[];
  answer(message: Message, send: (message: Message) => void): Promise<Message | undefined>;
  changeTools(tools: readonly Message[], send: (message: Message) => void, times?: number): void;
}

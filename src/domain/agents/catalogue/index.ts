/** The agents that TUICommander knows, in the order of lists. */
import { aider } from './aider.ts';
import { amp } from './amp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursorAgent } from './cursor-agent.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini.ts';
import { goose } from './goose.ts';
import { grok } from './grok.ts';
import type { CatalogueAgent } from './model.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

export type { CatalogueAgent, EvidenceKind } from './model.ts';

export const CATALOGUE: readonly CatalogueAgent[] = [
  claude,
  codex,
  gemini,
  grok,
  opencode,
  aider,
  amp,
  cursorAgent,
  goose,
  droid,
  pi,
  qwen,
  copilot,
];

const byName = new Map(
  CATALOGUE.flatMap((agent) =>
    [agent.id, ...agent.binaries, ...agent.aliases].map((name): [string, CatalogueAgent] => [name, agent]),
  ),
);

/** By agent type, program or the name it gives itself, in upper or lower case. */
export function findAgent(name: string): CatalogueAgent | undefined {
  return byName.get(name.toLowerCase());
}

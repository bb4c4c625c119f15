/**
 * What a child reads before its task (mcp.md AGT-10): who it is, and how it reaches whom it works for. Only ids that have the form of a
 * UUID get in, and a name of harmless characters: what stands here is read as an instruction (MSG-9).
 */
import { isCanonicalUuid } from '../../base/index.ts';

export interface ChildIds {
  readonly child: string;
  readonly name: string;
  readonly parent: string;
}

const HARMLESS_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** Unchanged when one of the ids is none. */
export function withPreamble(prompt: string, { child, name, parent }: ChildIds): string {
  if (!isCanonicalUuid(child) || !isCanonicalUuid(parent)) return prompt;
  const named = HARMLESS_NAME.test(name) ? `, named ${name}` : '';
  return [
    `[TUIC] You are agent ${child}${named}, started by agent ${parent}.`,
    `Write to it with the tuicommander tool: agent action=send to=${parent} message=...`,
    `If that tool does not know you: agent action=register tuic_session=${child}`,
    '',
    prompt,
  ].join('\n');
}

/** What the server's machine offers to what is started on it. */
import { useEffect, useState } from 'react';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { DetectedAgent, LaunchChoices } from '../../src/contract/index.ts';
import { useWorkspace } from './workspace-context.ts';

interface Asked<T> {
  value: T | undefined;
  /** Why there is no value; undefined while it is asked for. */
  problem: string | undefined;
}

/** Asks once. `ask` and `problem` must stay the same over drawings. */
function useAnswer<T>(ask: () => Promise<T>, problem: string): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ value: undefined, problem: undefined });
  const [once] = useState(() => ask);
  useEffect(() => {
    let isWanted = true;
    once().then(
      (value) => {
        if (isWanted) setAsked({ value, problem: undefined });
      },
      (error: unknown) => {
        if (!(error instanceof RequestRefused || error instanceof ServerUnreachable)) throw error;
        if (isWanted) setAsked({ value: undefined, problem });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [once, problem]);
  return asked;
}

export function useLaunchChoices(): Asked<LaunchChoices> {
  const { client } = useWorkspace();
  return useAnswer(
    () => client.folders.launchChoices(),
    'The shells of this machine are not known: the server did not say.',
  );
}

/** Agents that are known, those of this machine first. */
export function useAgents(): Asked<readonly DetectedAgent[]> {
  const { client } = useWorkspace();
  return useAnswer(async () => {
    const { agents } = await client.agents.detect();
    return [...agents.filter(({ path }) => path !== null), ...agents.filter(({ path }) => path === null)];
  }, 'The agents of this machine are not known: the server did not say.');
}

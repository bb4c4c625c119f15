/** The card of the agent that waits longest of those that are not in view; how many wait behind it is told on it. */
import { useCallback } from 'react';
import type { ChoiceCardProps } from '../shared/choice-card.tsx';
import { cardsOf } from '../shared/choices.ts';
import { Lazy, LazyPart } from './lazy-part.tsx';
import { SMALL_SCREEN, useMediaQuery, useWorkspace, useWorkspaceState } from './workspace-context.ts';

const card = new LazyPart<ChoiceCardProps>(
  async () => (await import('../shared/choice-card.tsx')).ChoiceCard,
  // The list still tells who asks what.
  (workspace) => workspace.takeChoiceFocus(),
);

export function preloadChoices(): void {
  card.preload();
}

export function ChoiceCards() {
  const isSmall = useMediaQuery(SMALL_SCREEN);
  const shown = useWorkspaceState((state) => cardsOf(state, isSmall)[0]);
  const behind = useWorkspaceState((state) => cardsOf(state, isSmall).length - 1);
  const asked = useWorkspaceState((state) => (shown === undefined ? undefined : state.choices.get(shown)?.asked));
  return shown === undefined ? null : <Card key={`${shown} ${asked}`} id={shown} behind={behind} />;
}

function Card({ id, behind }: { id: string; behind: number }) {
  const workspace = useWorkspace();
  const session = useWorkspaceState((state) => state.sessions.get(id));
  const choice = useWorkspaceState((state) => state.choices.get(id));
  const isFocusWanted = useWorkspaceState((state) => state.isChoiceFocusWanted);
  const look = useCallback(() => void workspace.choices.look(id), [workspace, id]);
  const takeFocus = useCallback(() => workspace.takeChoiceFocus(), [workspace]);
  const onLeave = useCallback(() => workspace.arrangement.focus(), [workspace]);
  if (session === undefined || choice === undefined) return null;
  const props: ChoiceCardProps = {
    session,
    choice,
    isFocusWanted,
    takeFocus,
    note: behind === 0 ? undefined : behind === 1 ? '1 more asks' : `${behind} more ask`,
    look,
    answer: (key) => void workspace.choices.answer(id, choice.asked, key),
    onShow: () => workspace.arrangement.show(id),
    onLater: () => workspace.choices.putOff(id),
    onLeave,
  };
  return <Lazy part={card} props={props} />;
}

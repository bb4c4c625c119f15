/** The links of a terminal as a list: the keyboard's way to what the pointer follows. Shows where each one really leads. */
import { useEffect, useMemo, useState } from 'react';
import { fuzzyMatch } from '../shared/fuzzy.ts';
import { cleanText } from '../shared/labels.ts';
import { copyText, describeFollow } from '../shared/links.ts';
import type { LinkTarget } from '../terminal/terminal-links.ts';
import { type PickItem, PickList } from './pick-list.tsx';
import { useWorkspace } from './workspace-context.ts';

interface Found extends PickItem {
  target: LinkTarget;
}

function search(targets: readonly LinkTarget[], query: string): Found[] {
  const found: { item: Found; score: number }[] = [];
  for (const target of targets) {
    const title = cleanText(copyText(target));
    const match = fuzzyMatch(query, title);
    const isAll = query.trim() === '';
    if (match === undefined && !isAll) continue;
    const positions = isAll ? [] : (match?.positions ?? []);
    const detail = target.kind === 'path' && target.text !== title ? `written as ${cleanText(target.text)}` : undefined;
    found.push({
      item: { id: copyText(target), title, detail, positions, target },
      score: isAll ? 0 : (match?.score ?? 0),
    });
  }
  return found.sort((a, b) => b.score - a.score).map(({ item }) => item);
}

export function LinkPicker({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace();
  const [query, setQuery] = useState('');
  const [targets, setTargets] = useState<readonly LinkTarget[]>();
  useEffect(() => {
    let isWanted = true;
    // Looked up once: the list must not move under the keys of whoever reads it.
    void (workspace.stage.view(sessionId)?.links.list() ?? Promise.resolve([])).then((found) => {
      const distinct = new Map(found.map((target) => [copyText(target), target]));
      if (isWanted) setTargets([...distinct.values()]);
    });
    return () => {
      isWanted = false;
    };
  }, [workspace, sessionId]);
  const items = useMemo(() => search(targets ?? [], query), [targets, query]);
  const none =
    targets === undefined ? 'Looking…' : targets.length === 0 ? 'There is no link.' : 'No link is like that.';

  return (
    <PickList
      title="Links"
      fieldLabel="Link"
      placeholder="Which link?"
      query={query}
      onQuery={setQuery}
      items={items}
      onChoose={({ target }, isSecond) => {
        workspace.closeDialog();
        if (isSecond) workspace.links.copy(target);
        else workspace.links.follow(target);
      }}
      end={({ target }) => <span className="palette-group">{describeFollow(target)}</span>}
      none={none}
      foot={
        <p className="palette-foot">
          <kbd>Enter</kbd> follows, <kbd>Shift</kbd> <kbd>Enter</kbd> copies
        </p>
      }
    />
  );
}

/**
 * The panes of this window. They are placed by parts of the whole and stand flat beside each other, in reading order: a pane
 * keeps its element, and with it a drawn terminal, whatever happens to the tree around it. On a small screen only the
 * focused pane is shown, with the tabs of all.
 */
import { useRef, useState } from 'react';
import { type Border, type Box, focusedPane, LEAST_SHARE, placeLayout, type Side } from '../shared/layout.ts';
import { type TabDrag, TabStrip } from './tab-strip.tsx';
import { TerminalPanel } from './terminal-panel.tsx';
import { SMALL_SCREEN, useMediaQuery, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Dock() {
  const workspace = useWorkspace();
  const layout = useWorkspaceState((state) => state.layout);
  const tabs = useWorkspaceState((state) => state.tabs);
  const isSmall = useMediaQuery(SMALL_SCREEN);
  const [dragged, setDragged] = useState<string | undefined>(undefined);
  const dock = useRef<HTMLElement>(null);
  const drag: TabDrag = { dragged, setDragged };

  if (isSmall) {
    const pane = focusedPane(layout);
    return (
      <main className="dock">
        <section className="pane" key={pane.id} style={styleOf({ left: 0, top: 0, width: 1, height: 1 })}>
          <TabStrip paneId={undefined} panelId={`panel-${pane.id}`} tabs={tabs} isFirst isFocused drag={drag} />
          <TerminalPanel paneId={pane.id} tabs={pane.tabs} />
        </section>
      </main>
    );
  }

  const { panes, borders } = placeLayout(layout.root);
  return (
    <main className={panes.length > 1 ? 'dock is-split' : 'dock'} ref={dock}>
      {panes.map(({ pane, box }, index) => (
        <section
          key={pane.id}
          className={pane.id === layout.focused ? 'pane is-focused' : 'pane'}
          data-pane-id={pane.id}
          aria-label={panes.length > 1 ? `Pane ${index + 1} of ${panes.length}` : undefined}
          style={styleOf(box)}
          onFocus={() => workspace.arrangement.focusPane(pane.id)}
        >
          <TabStrip
            paneId={pane.id}
            panelId={`panel-${pane.id}`}
            tabs={pane.tabs}
            isFirst={index === 0}
            isFocused={pane.id === layout.focused}
            drag={drag}
          />
          <TerminalPanel paneId={pane.id} tabs={pane.tabs} />
          {dragged !== undefined && (
            <DropZone
              onDrop={(place) => {
                setDragged(undefined);
                if (place === 'inside') workspace.arrangement.moveTab(dragged, pane.id);
                else workspace.arrangement.split(dragged, place, pane.id);
              }}
            />
          )}
        </section>
      ))}
      {borders.map((border) => (
        <BorderHandle
          key={`${border.path.join('.')}/${border.index}`}
          border={border}
          extent={() => extentOf(dock.current, border)}
        />
      ))}
    </main>
  );
}

function percent(part: number): string {
  return `${(part * 100).toFixed(4)}%`;
}

function styleOf(box: Box): React.CSSProperties {
  return { left: percent(box.left), top: percent(box.top), width: percent(box.width), height: percent(box.height) };
}

/** Pixels of the split that a border stands in. */
function extentOf(dock: HTMLElement | null, { direction, within }: Border): number {
  if (dock === null) return 0;
  return direction === 'row' ? dock.clientWidth * within.width : dock.clientHeight * within.height;
}

const KEY_STEP = 0.02;

/** Parts two panes: dragged, moved with arrow keys, evened out by a double click. */
function BorderHandle({ border, extent }: { border: Border; extent(): number }) {
  const workspace = useWorkspace();
  const { direction, path, index, portion, at } = border;
  const isRow = direction === 'row';
  const move = (by: number) => workspace.arrangement.moveBorder(path, index, by);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule (hr) cannot take the keyboard or be dragged
    <div
      className={isRow ? 'border is-upright' : 'border is-level'}
      role="separator"
      tabIndex={0}
      aria-label={isRow ? 'Border between left and right' : 'Border between above and below'}
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(portion * 100)}
      aria-valuemin={Math.round(LEAST_SHARE * 100)}
      aria-valuemax={Math.round((1 - LEAST_SHARE) * 100)}
      style={
        isRow
          ? { left: percent(at.left), top: percent(at.top), height: percent(at.height) }
          : { left: percent(at.left), top: percent(at.top), width: percent(at.width) }
      }
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const whole = extent();
        if (whole > 0) move((isRow ? event.movementX : event.movementY) / whole);
      }}
      onDoubleClick={() => workspace.arrangement.evenShares()}
      onKeyDown={(event) => {
        const [less, more] = isRow ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
        if (event.ctrlKey || (event.key !== less && event.key !== more)) return;
        event.preventDefault();
        move(event.key === more ? KEY_STEP : -KEY_STEP);
      }}
    />
  );
}

type DropPlace = Side | 'inside';

/** Lies over a pane while a tab is dragged and shows where it would go. */
function DropZone({ onDrop }: { onDrop(place: DropPlace): void }) {
  const [place, setPlace] = useState<DropPlace | undefined>(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dragged here can be done by keys too (actions.ts)
    <div
      className="drop-zone"
      data-place={place}
      onDragOver={(event) => {
        event.preventDefault();
        setPlace(placeUnder(event));
      }}
      onDragLeave={() => setPlace(undefined)}
      onDrop={(event) => {
        event.preventDefault();
        onDrop(placeUnder(event));
      }}
    >
      <div className="drop-shade" />
    </div>
  );
}

/** The nearest side within a quarter of the extent, else inside. */
function placeUnder(event: React.DragEvent): DropPlace {
  const box = event.currentTarget.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width;
  const y = (event.clientY - box.top) / box.height;
  const sides: [Side, number][] = [
    ['left', x],
    ['right', 1 - x],
    ['up', y],
    ['down', 1 - y],
  ];
  const [side, distance] = sides.reduce((nearest, one) => (one[1] < nearest[1] ? one : nearest));
  return distance < 0.25 ? side : 'inside';
}

/** How the menu of an element is asked for: right click, the menu key or Shift+F10, a long touch. */
import { useRef } from 'react';
import type { MenuKind } from '../shared/workspace-state.ts';
import { useWorkspace } from './workspace-context.ts';

/** Milliseconds, as phones have it. */
const LONG_TOUCH = 500;
/** Pixels that a resting finger may stray. */
const STRAY = 10;

export interface MenuOpener {
  onContextMenu(event: React.MouseEvent): void;
  onKeyDown(event: React.KeyboardEvent<HTMLElement>): void;
  onPointerDown(event: React.PointerEvent): void;
  onPointerMove(event: React.PointerEvent): void;
  onPointerUp(): void;
  onPointerCancel(): void;
}

export function isMenuKey(event: { key: string; shiftKey: boolean; ctrlKey: boolean; altKey: boolean }): boolean {
  const { key, shiftKey, ctrlKey, altKey } = event;
  return !ctrlKey && !altKey && (key === 'ContextMenu' || (key === 'F10' && shiftKey));
}

export function useMenuOpener(kind: MenuKind, sessionId: string | undefined): MenuOpener {
  const workspace = useWorkspace();
  const touch = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | undefined>(undefined);
  const open = (x: number, y: number) => workspace.openMenu({ kind, sessionId, x, y });
  const giveUp = () => {
    clearTimeout(touch.current?.timer);
    touch.current = undefined;
  };
  return {
    onContextMenu: (event) => {
      // While a name is edited, the field has the browser's own menu.
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      giveUp();
      open(event.clientX, event.clientY);
    },
    onKeyDown: (event) => {
      if (!isMenuKey(event) || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      event.stopPropagation();
      const { left, bottom } = event.currentTarget.getBoundingClientRect();
      open(left + 8, bottom);
    },
    onPointerDown: (event) => {
      giveUp();
      if (event.pointerType !== 'touch' || !event.isPrimary || event.target instanceof HTMLInputElement) return;
      const { clientX: x, clientY: y } = event;
      touch.current = { x, y, timer: setTimeout(() => open(x, y), LONG_TOUCH) };
    },
    onPointerMove: (event) => {
      const begun = touch.current;
      if (begun !== undefined && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > STRAY) giveUp();
    },
    onPointerUp: giveUp,
    onPointerCancel: giveUp,
  };
}

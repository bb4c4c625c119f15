/** Whether a client gets the collapsed list (LAZ-1, LAZ-12): a decision of its own for each client, from its name and the settings. */

export interface CollapseSettings {
  readonly collapse_tools: boolean;
  readonly collapse_auto_threshold_bytes: number;
  readonly collapse_clients: Readonly<Record<string, boolean>>;
}

/** Such a client allows one `__` in a qualified name and drops what has more. */
const NEEDS_META_TOOLS = 'grok-shell-';

/** `classicBytes` is asked for only when nothing before it decides. The order of the rules is that of LAZ-12. */
export function isCollapsed(clientName: string, settings: CollapseSettings, classicBytes: () => number): boolean {
  const named = Object.entries(settings.collapse_clients)
    .filter(([prefix]) => clientName.startsWith(prefix))
    .sort(([a], [b]) => b.length - a.length)[0];
  if (named !== undefined) return named[1];
  if (clientName.toLowerCase().startsWith(NEEDS_META_TOOLS)) return true;
  if (settings.collapse_tools) return true;
  const threshold = settings.collapse_auto_threshold_bytes;
  return threshold > 0 && classicBytes() > threshold;
}

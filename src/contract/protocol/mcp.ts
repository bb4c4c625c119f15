/** What both ends of /mcp must agree on: revisions, header names, the shape of a message (mcp.md 1, DESIGN D7). */

/** Revisions that `initialize` echoes (TRN-4), newest first. */
export const LEGACY_REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;
/** Answer to an `initialize` that asks for another one or for none. */
export const STANDARD_REVISION = '2025-11-25';
/** The revision without sessions. */
export const MODERN_REVISION = '2026-07-28';
/** Member of `params._meta` that makes a request modern (TRN-31); headers never decide. */
export const REVISION_CLAIM = 'io.modelcontextprotocol/protocolVersion';

/** Name of our MCP server in every client's settings (AGT-11). */
export const MCP_SERVER_NAME = 'tuicommander';

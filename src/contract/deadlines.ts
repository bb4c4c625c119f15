/**
 * Every deadline of the product, in milliseconds, in one place. The order of the outer ones is pinned by a test:
 * wait < confirm < server request < bridge, so that an inner answer always comes before an outer timer fires.
 */
export const DEADLINES = {
  wait: 295_000,
  confirm: 300_000,
  nestedConfirm: 120_000,
  request: 301_000,
  bridge: 305_000,
  loginTicket: 60_000,
  eventKeepAlive: 15_000,
  eventRetry: 5_000,
  ipcBindRetry: 100,
  ipcRebind: 200,
  hostDetachedPause: 30_000,
  hostIdleExit: 60_000,
  hostConnect: 5_000,
  closeInterrupt: 100,
  closeHangup: 500,
  closeTerminate: 2_000,
  exitLinger: 2_000,
  queryOpen: 2_000,
  checkpointActive: 10_000,
  lazyParseQuiet: 30,
  logPoll: 200,
  tombstone: 300_000,
  tombstoneSweep: 30_000,
} as const;

/** Size limits of the product, in bytes unless the name says otherwise. */
export const LIMITS = {
  requestBody: 2_097_152,
  ring: 1_048_576,
  ringChunk: 65_536,
  hostCredit: 524_288,
  /** Largest payload of one frame between server and host: a full write queue with an answer's offset fits. */
  hostFrame: 8_388_608,
  /** What a frame may carry before its sender has shown the token. */
  hostHello: 4_096,
  /** Bytes the host keeps waiting in the socket to a server before sessions have to wait with theirs. */
  hostBacklog: 1_048_576,
  writeQueue: 4_194_304,
  writeSlice: 4_096,
  viewerBehind: 1_048_576,
  viewerAckEvery: 65_536,
  viewerInput: 4_194_304,
  /** A WebSocket whose unsent bytes pass this is cut; the session's own bound lies far below. */
  socketBuffer: 8_388_608,
  snapshot: 65_536,
  replayChunk: 65_536,
  parseSlice: 16_384,
  lazyParseBacklog: 65_536,
  checkpointEvery: 524_288,
  compressAbove: 860,
  busEvents: 4_096,
  logLines: 10_000,
  rowsMax: 500,
  colsMax: 500,
  maxSessions: 50,
  tickets: 256,
  logFile: 4_194_304,
  logRing: 1_000,
  clients: 256,
} as const;

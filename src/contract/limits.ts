/** Size limits of the product, in bytes unless the name says otherwise. */
export const LIMITS = {
  requestBody: 2_097_152,
  /** A body announced as too large is read to its end up to this size, so that its sender reads the refusal; above it, refused at once. */
  refusedBody: 16_777_216,
  /** What an idle process holds more than after it gave memory back last is worth a pause of some tens of milliseconds. */
  memoryWorth: 2_097_152,
  /** The same for the pty host, whose heap is small and whose pause is short. */
  hostMemoryWorth: 524_288,
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
  /** Our viewers acknowledge each so many bytes; others may take up to `viewerAckMost`. */
  viewerAckEvery: 16_384,
  viewerAckMost: 65_536,
  /** Window of unconsumed bytes a viewer may have: at least one acknowledgement's worth, more when it answers quickly. */
  viewerWindowMin: 16_384,
  viewerWindowStart: 65_536,
  viewerWindowMax: 524_288,
  /** Bytes a viewer's socket may have untaken before the session stops handing it more. */
  viewerNetwork: 262_144,
  /** A viewer further behind is waited for, until it is at most `viewerHoldBelow` behind. */
  viewerHoldAbove: 524_288,
  viewerHoldBelow: 131_072,
  logFrameLines: 1_000,
  /** Text of the lines in one answer or frame. */
  logText: 1_048_576,
  viewerInput: 4_194_304,
  /** A WebSocket whose unsent bytes pass this is cut; the session's own bound lies far below. */
  socketBuffer: 8_388_608,
  /** What an event stream over a WebSocket may have unsent before it waits. */
  eventSocket: 65_536,
  snapshot: 65_536,
  replayChunk: 65_536,
  parseSlice: 16_384,
  lazyParseBacklog: 65_536,
  checkpointEvery: 524_288,
  compressAbove: 860,
  busEvents: 4_096,
  logLines: 10_000,
  /** Prompts of the library, and the length of one's id, label and text in characters. */
  prompts: 1_000,
  promptId: 128,
  promptLabel: 200,
  promptText: 65_536,
  rowsMax: 500,
  colsMax: 500,
  maxSessions: 50,
  tickets: 256,
  logFile: 4_194_304,
  logRing: 1_000,
  /** Text of all entries of the application log together; the oldest go first. */
  logRingText: 4_194_304,
  logSource: 128,
  logMessage: 16_384,
  logData: 262_144,
  /** A capture file with its header (http.md 19), and how many sessions one capture records. */
  captureFile: 524_288,
  captureSessions: 256,
  /** A file that is replayed: old raw ones may be larger than what is recorded today. */
  captureReplay: 67_108_864,
  /** A file of the access log, and how many older ones are kept. */
  accessFile: 4_194_304,
  accessFilesKept: 4,
  /** Most entries of the access log in one answer. */
  accessEntries: 10_000,
  /** What a command that follows the access log looks at each time, as long as not all of it is new. */
  accessFollow: 1_000,
  /** Lines that wait for the disk; more are counted and told. */
  logPending: 1_048_576,
  /** Samples of processes that are kept (15 minutes), processes in one list, and bytes of a command line. */
  processHistory: 300,
  processRows: 2_000,
  processCommand: 1_024,
  /** Highest process id of the kernel. */
  processId: 4_194_304,
  clients: 256,
  /** A file of the configuration; a larger one is not read. */
  configFile: 4_194_304,
  configDepth: 64,
  /** Bytes of a password; bcrypt reads no further. */
  password: 72,
  /** Passwords that are checked at the same time, and logins that may wait for it. */
  passwordChecks: 2,
  passwordQueue: 64,
  /** Entries of a folder that are read, and names of folders in one answer. */
  folderRead: 20_000,
  folderNames: 500,
  /** Shells that are offered. */
  shells: 64,
  /** Files of the data folder that are counted, and entries of its report. */
  storageFiles: 20_000,
  storageEntries: 100,
  /** Git programs that look at repositories at the same time, reads of HEAD before them, and what one program may say. */
  repositoryLooks: 4,
  repositoryReads: 2,
  gitOutput: 8_388_608,
  connections: 1_024,
  /** Questions that wait for the person at the same time, and characters of a question or notice. */
  confirms: 100,
  confirmTitle: 500,
  confirmMessage: 10_000,
  /** Names that are looked up at once, programs that tell their version at the same time, and what one may print for it. */
  programLookups: 64,
  /** Conversations of one folder that are looked at, and bytes of the first line of one. */
  conversationFiles: 10_000,
  conversationHead: 65_536,
  versionPrograms: 2,
  versionOutput: 16_384,
  /** What a shell may print while it tells PATH. */
  shellOutput: 262_144,
  /** Requests of one kind that wait for a window at the same time; characters of a script, of its value as JSON and of its failure. */
  windowRequests: 16,
  windowScript: 65_536,
  windowResult: 65_536,
  windowError: 4_096,
  /** Bytes of a picture that a window draws, and how many are kept. */
  windowPicture: 2_097_152,
  pictures: 50,
  /** Tabs of agents, characters of their ids, titles and addresses, bytes of html in one and in all. */
  tabs: 100,
  tabId: 128,
  tabTitle: 200,
  tabUrl: 4_096,
  tabHtml: 1_048_576,
  tabHtmlTotal: 16_777_216,
  /** Bytes of html that an event carries itself; thousands of events are kept. */
  tabEventHtml: 16_384,
  /** A file that a tab shows, and a text in the preview. */
  tabFile: 67_108_864,
  tabPreview: 2_097_152,
  /** OSC 7501: records of a session, and characters of a title or message (STM-52). */
  statusRecords: 256,
  statusText: 2_000,
  /** Characters of one message from a client of the bridge; the server takes less (LIM-1) and says so. */
  bridgeLine: 16_777_216,
  /** Notices that wait for an MCP client that does not read; more are left out. */
  mcpNotices: 64,
  /** Messages of one inbox, bytes of one message, and messages of one page without a wish (MSG-30, MSG-34). */
  inboxMessages: 100,
  mailMessage: 65_536,
  inboxPage: 50,
  /** Characters of a peer's name and project, of a thread and of the key of a send. */
  peerName: 64,
  peerProject: 1_024,
  mailThread: 64,
  clientKey: 128,
  /** Bytes of a message that is typed as it is, and characters of a summary of notices (MSG-66, MSG-75). */
  typedMessage: 2_048,
  summaryLine: 240,
  /** Characters of a question that a notice carries, on one line (MSG-84). */
  noticePrompt: 120,
  /** The journal of a repository: characters of a text and of a step, and entries that are kept (PRJ-1). */
  progressText: 2_000,
  progressStep: 200,
  progressEntries: 10_000,
  /** Commands that wait to be typed at one terminal. */
  queuedCommands: 100,
  /** Pings that fail in a row before the server counts as gone. */
  bridgePings: 3,
  /** Other MCP servers behind ours: how many, characters of one text of their configuration, and entries of its lists. */
  upstreams: 200,
  upstreamText: 8_192,
  upstreamTexts: 256,
  /** One message of such a server in bytes; what of its stderr is kept; its tools, and pages of their list. */
  upstreamMessage: 16_777_216,
  upstreamStderr: 8_192,
  upstreamTools: 10_000,
  upstreamPages: 100,
  /** Failures in a row that open its circuit, and how often that is tried again before it counts as failed (UPX-4). */
  upstreamFailures: 3,
  upstreamReopens: 5,
} as const;

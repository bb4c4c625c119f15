/**
 * Every deadline of the product, in milliseconds, in one place. The order of the outer ones is pinned by a test:
 * wait < confirm < server request < bridge, so that an inner answer always comes before an outer timer fires.
 */
export const DEADLINES = {
  wait: 295_000,
  waitDefault: 60_000,
  confirm: 300_000,
  nestedConfirm: 120_000,
  request: 301_000,
  bridge: 305_000,
  /** What a window is given for a script, and for a picture; both end before the bridge gives up. */
  windowScript: 8_000,
  windowPicture: 15_000,
  /** How long the file of a picture is kept, and how often that is looked at. */
  pictureKept: 86_400_000,
  pictureSweep: 3_600_000,
  /** The bridge's other waits (BRG-2, BRG-6, BRG-7, BRG-12). */
  bridgeOrdinary: 10_000,
  bridgeMargin: 5_000,
  bridgeSpawn: 30_000,
  bridgeScreenshot: 20_000,
  bridgeConnect: 3_000,
  bridgePing: 3_000,
  bridgeParent: 2_000,
  bridgeRetryFirst: 1_000,
  bridgeRetryLast: 8_000,
  bridgeDrain: 5_000,
  /** An MCP session that says nothing so long ends; how often that is looked at (MSG-27). */
  mcpIdle: 3_600_000,
  mcpReap: 60_000,
  /**
   * Other MCP servers behind ours: until one is connected; the first and longest pause of an open circuit; between two starts of one
   * program; what it is given to end by itself, and after the first signal; between two looks at each; and until a changed list is told on.
   */
  upstreamConnect: 60_000,
  upstreamBackoffFirst: 1_000,
  upstreamBackoffLast: 60_000,
  upstreamRespawn: 5_000,
  upstreamEnd: 2_000,
  upstreamTerminate: 500,
  upstreamHealth: 60_000,
  upstreamSettle: 250,
  /** Of a list of resources or prompts: one server that hangs keeps nobody from those of the others for long (M08). */
  upstreamLists: 10_000,
  /** The first list of tools waits so long for them (TRN-12). */
  upstreamBoot: 3_000,
  /** A lock on a file that several processes change: between two tries, until it is given up, and until it counts as left behind. */
  fileLockRetry: 20,
  fileLock: 5_000,
  fileLockStale: 10_000,
  /** An uncertain notice of mail may be tried again so long after it (MSG-76). */
  noticeUncertain: 5_000,
  /** A terminal that took no byte of a line is tried again so long after it. */
  typingRest: 1_000,
  /** A refused registration that comes again is told so often, and forgotten after the other. */
  refusalSummary: 300_000,
  refusalForgotten: 3_600_000,
  /** How long what became of a message, the key of a send and an ended task are known, and how often that is tidied. */
  mailStatusKept: 86_400_000,
  mailSweep: 600_000,
  taskKept: 86_400_000,
  taskPoll: 1_000,
  taskSweep: 60_000,
  /** A wait without a time of its own (WAIT-1). */
  waitStandard: 60_000,
  loginTicket: 60_000,
  eventKeepAlive: 15_000,
  eventRetry: 5_000,
  ipcBindRetry: 100,
  ipcRebind: 200,
  ipcProbe: 1_000,
  ipcClaim: 5_000,
  socketClose: 200,
  shutdownGrace: 3_000,
  connectionIdle: 65_000,
  requestHeaders: 60_000,
  hostDetachedPause: 30_000,
  hostIdleExit: 60_000,
  hostConnect: 5_000,
  closeInterrupt: 100,
  closeHangup: 500,
  closeTerminate: 2_000,
  exitLinger: 2_000,
  queryOpen: 2_000,
  checkpointActive: 10_000,
  checkpointQuiet: 1_000,
  /** One turn of the parser, over all sessions. */
  parseTurn: 2,
  /** Longest time one viewer is waited for; halved each time it was too slow, whole again after a good while. */
  viewerHold: 250,
  viewerRestore: 5_000,
  /** A viewer that consumes later than this gets a smaller window, earlier than the other a larger one. */
  viewerLate: 300,
  viewerQuick: 50,
  /** After an interrupt a viewer that is late is shown the newest screen at once, for so long. */
  viewerHurry: 2_000,
  titleEvent: 200,
  stateEvent: 50,
  /** Without output for so long a shell, or an agent, counts as idle when nothing better is known (STM-3). */
  shellSilence: 500,
  agentSilence: 2_500,
  /**
   * The state of agents (STM-*): how often time is looked at; how long a ready screen must stand; how long output unparsed, and
   * rows unread, may wait; echo of what was typed; a resize; a start; an interrupt that was asked for; a retry that was announced;
   * a working row or a count of sub-tasks without movement; a question by silence alone; a jump of the clock that was a sleep.
   */
  stateTick: 1_000,
  readyConfirmation: 1_500,
  agentParse: 250,
  screenLook: 150,
  echoWindow: 500,
  resizeGrace: 1_000,
  resizeGraceLongest: 5_000,
  startupQuiet: 5_000,
  startupLongest: 120_000,
  interruptRequest: 30_000,
  retryHold: 15_000,
  staleMovement: 30_000,
  questionSilence: 10_000,
  toolErrorSilence: 5_000,
  rateLimitFallback: 120_000,
  /** Longer waits that an agent prints are not believed. */
  rateLimitLongest: 86_400_000,
  sleepGap: 5_000,
  spawnRetry: 100,
  /** After that the parent is told that its child has not taken its prompt (MSG-85). */
  promptDelivery: 30_000,
  /** How long the terminal is given to move after a line was submitted. */
  submit: 3_000,
  submitShortest: 250,
  submitLongest: 10_000,
  /** Between the text of a line and its Enter, so that the program reads them apart (SUB-4). */
  typingGap: 50,
  /** The same behind a long text, which a program reads in pieces. */
  typingGapLongest: 1_000,
  /**
   * Agents of this machine: one answer; one program that tells its version, longer, so that a slow one is known to the next answer;
   * the shell that tells PATH, and how long that PATH is believed.
   */
  agentDetect: 8_000,
  agentVersion: 20_000,
  shellPath: 5_000,
  shellPathMemory: 60_000,
  /** After a program of ours has ended somebody else may hold its pipes for so long. */
  programPipes: 250,
  lazyParseQuiet: 30,
  logPoll: 200,
  /** How long lines of the access log are gathered for one write; a crash loses no more. */
  logGather: 50,
  /** A log file that could not be written is tried again after this. */
  logRetry: 10_000,
  /** Between two samples of processes; the first look takes two of them this far apart; none is taken so long after the last look. */
  processSample: 3_000,
  processFirst: 250,
  processWatch: 15_000,
  retryFirst: 100,
  retryBase: 1_000,
  retryMaximum: 30_000,
  retryMaximumWatched: 4_000,
  /** Between two questions of a command that follows something, and while it waits for a server. */
  follow: 500,
  followAway: 1_000,
  streamOpen: 10_000,
  streamSteady: 5_000,
  eventWatchdog: 35_000,
  historyFetch: 3_000,
  historyCalm: 500,
  /** Find looks again this long after output came, and gives a pattern up that takes longer than the other. */
  findRefresh: 200,
  findLongest: 2_000,
  /** A closed terminal can be had back for this long; only then its program is ended. */
  closeUndo: 6_000,
  sizeReclaim: 10_000,
  /** A viewer whose size changes all the time tells it no more often. */
  sizePace: 100,
  /** Until a window asks what runs in front in a terminal that changed: a program needs a moment to be there. */
  foregroundSettle: 300,
  /** Until it asks once more, for programs that start late. */
  foregroundAgain: 2_000,
  /** What a path in the text of a terminal names is believed for this long. */
  linkAnswer: 5_000,
  titleBatch: 50,
  /** An agent whose choice was answered and that still asks after this has not taken the key; its question is shown again. */
  choiceTaken: 3_000,
  /** The phone page reads the list this often; an answer later than `answerLate` is told, one later than `answerLost` given up. */
  phonePoll: 3_000,
  answerLate: 900,
  answerLost: 8_000,
  /** Timers that were silent for this long were frozen with their page; so were its connections. */
  pageFrozen: 5_000,
  /** A page that was away for less than this goes on as if it had not been. */
  pageGlance: 2_000,
  phoneDraw: 100,
  tombstone: 300_000,
  tombstoneSweep: 30_000,
  keyring: 5_000,
  /** The state of one repository, the wait for its turn included: shorter than an agent's bridge waits for a list of them. */
  repositoryLook: 8_000,
  /** How long a password that was checked is known without checking it again. */
  passwordMemory: 300_000,
  /** An orderly stop that takes longer is cut off; sessions live in the host either way. */
  shutdown: 10_000,
  /** A second Ctrl-C this soon is the same one: a terminal and npm both deliver it. */
  secondInterrupt: 500,
  /** How often the server looks whether it is idle and holds memory that it could give back; so long it has been idle then. */
  memoryLook: 500,
} as const;

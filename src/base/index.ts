export { Bus, type BusCursor, type BusRead, type BusRecord } from './bus.ts';
export { ByteRing } from './byte-ring.ts';
export { type Clock, delay, systemClock } from './clock.ts';
export { type Disposable, DisposableStore, toDisposable } from './disposable.ts';
export { Emitter, type Listener } from './emitter.ts';
export { EventParser, type ServerSentEvent } from './event-parser.ts';
export { type Ids, isCanonicalUuid, isSessionId } from './ids.ts';
export { isJsonObject, isJsonWithinDepth, type JsonObject, mergeJson, setJsonKey } from './json-merge.ts';
export { KeyedMutex } from './keyed-mutex.ts';

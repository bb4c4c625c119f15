/** A reader of /events (SSE) that can misbehave: stall, be cut, resume with Last-Event-ID. */
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Signal } from './eventually.ts';
import type { Target } from './http.ts';

export interface ReceivedEvent {
  name: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

export interface EventOptions {
  types?: readonly string[];
  lastEventId?: string;
  headers?: OutgoingHttpHeaders;
  query?: Record<string, string>;
  /** Told of each event when it comes. */
  onEvent?(event: ReceivedEvent): void;
}

export class EventClient {
  readonly #response: IncomingMessage;
  readonly #signal = new Signal();
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  /** Ids of records without data: they only move the place to resume from. */
  readonly passedIds: string[] = [];
  retry: number | undefined;
  ended = false;
  readonly #onEvent: EventOptions['onEvent'];
  #rest = '';

  constructor(response: IncomingMessage, onEvent?: EventOptions['onEvent']) {
    this.#response = response;
    this.#onEvent = onEvent;
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      this.#rest += part;
      for (let end = this.#rest.indexOf('\n\n'); end >= 0; end = this.#rest.indexOf('\n\n')) {
        this.#record(this.#rest.slice(0, end));
        this.#rest = this.#rest.slice(end + 2);
      }
      this.#signal.notify();
    });
    const end = () => {
      this.ended = true;
      this.#signal.notify();
    };
    response.on('close', end);
    // A cut connection ends with an error; `ended` tells it.
    response.on('error', end);
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  get lastId(): string | undefined {
    return this.events.findLast((event) => event.id !== undefined)?.id;
  }

  named(name: string): ReceivedEvent[] {
    return this.events.filter((event) => event.name === name);
  }

  until<T>(what: string, check: () => T | undefined | false, patience?: number): Promise<T> {
    return this.#signal.until(what, check, () => `Got ${JSON.stringify(this.events.slice(-8))}`, patience);
  }

  event(name: string, matches: (data: Record<string, unknown>) => boolean = () => true): Promise<ReceivedEvent> {
    return this.until(`event ${name}`, () => this.events.find((event) => event.name === name && matches(event.data)));
  }

  stall(): void {
    this.#response.pause();
  }

  thaw(): void {
    this.#response.resume();
  }

  cut(): void {
    this.#response.destroy();
  }

  #record(block: string): void {
    let name = 'message';
    let id: string | undefined;
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === '') this.comments.push(value);
      else if (field === 'event') name = value;
      else if (field === 'id') id = value;
      else if (field === 'data') data.push(value);
      else if (field === 'retry') this.retry = Number(value);
    }
    if (data.length === 0 && id !== undefined) this.passedIds.push(id);
    if (data.length === 0) return;
    const event = { name, id, data: JSON.parse(data.join('\n')) as Record<string, unknown> };
    this.events.push(event);
    this.#onEvent?.(event);
  }
}

export function openEvents(target: Target, options: EventOptions = {}): Promise<EventClient> {
  const query = new URLSearchParams(options.query);
  if (options.types !== undefined) query.set('types', options.types.join(','));
  const search = query.size > 0 ? `?${query}` : '';
  return new Promise((resolve, reject) => {
    const to =
      'socketPath' in target
        ? { socketPath: target.socketPath }
        : { host: target.host ?? '127.0.0.1', port: target.port };
    const request = httpRequest({
      ...to,
      path: `/events${search}`,
      agent: false,
      headers: {
        accept: 'text/event-stream',
        ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
        ...options.headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.statusCode === 200) {
        resolve(new EventClient(response, options.onEvent));
        return;
      }
      response.resume();
      response.on('end', () => reject(new Error(`/events answered ${response.statusCode}`)));
    });
    request.end();
  });
}

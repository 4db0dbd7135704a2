import { encodeUtf8 } from '../bytes.ts';
import { type Control, controlPrefix, runControl } from '../emulator/control.ts';
import {
  type EmulatorRequest,
  type EmulatorResponse,
  type OpenStream,
  readableResponse,
} from '../emulator/http.ts';
import type { Redaction } from '../emulator/journal.ts';
import { parseRequestObject } from '../protocol/request.ts';
import { enterPage, pagePolicy, pagePrefix, quietHeaders } from './access.ts';
import { type DetailSources, detailOf, revealedOf } from './details.ts';
import { type Feed, rowOf, type WatchedRecord } from './feed.ts';
import type { Hello, LearnedSetting, Update } from './wire.ts';

export interface PageOptions {
  /** The page with its script and style. */
  readonly html: string;
  /** Unguessable; whoever has it may see everything. */
  readonly token: string;
  readonly hello: Hello;
  readonly feed: Feed;
  /** Of an emulator. */
  readonly control?: Control;
  /** What a relay has learned so far. */
  readonly learned?: () => readonly LearnedSetting[];
  readonly sources: DetailSources;
  readonly redaction: Redaction;
}

type Route = (request: EmulatorRequest) => EmulatorResponse | Promise<EmulatorResponse>;

/** Serves the page on which an emulator or a relay is watched, and the requests of the page. */
export class PageServer {
  readonly #options: PageOptions;
  readonly #policy: string;
  readonly #routes: Readonly<Record<string, Route>> = {
    'GET ': () => this.#page(),
    'GET events': ({ headers }) => this.#events(headers['last-event-id']),
    'GET exchange': ({ query }) => this.#exchange(new URLSearchParams(query)),
    'POST reveal': (request) => this.#reveal(request),
    'POST clear': () => {
      this.#options.feed.clear();
      return readableResponse(200, {});
    },
    'GET faults': (request) => this.#steer('faults', request),
    'POST faults': (request) => this.#steer('faults', request),
    'DELETE faults': (request) => this.#steer('faults', request),
    'POST signup': (request) => this.#steer('signup', request),
  };

  constructor(options: PageOptions) {
    this.#options = options;
    this.#policy = pagePolicy(options.html);
  }

  get url(): string {
    return `${this.#origin}${pagePrefix}${this.#options.token}/`;
  }

  get #origin(): string {
    return this.#options.sources.origin;
  }

  /** The response to a request for the page; undefined for every other path. */
  respond(request: EmulatorRequest): Promise<EmulatorResponse> | undefined {
    return request.path.startsWith(pagePrefix) ? this.#enter(request) : undefined;
  }

  async #enter(request: EmulatorRequest): Promise<EmulatorResponse> {
    const response = await this.#route(request);
    return { ...response, headers: { ...response.headers, ...quietHeaders } };
  }

  #route(request: EmulatorRequest): EmulatorResponse | Promise<EmulatorResponse> {
    const entered = enterPage(request, { origin: this.#origin, token: this.#options.token });
    if ('refused' in entered) return failure(403, entered.refused);
    const route = this.#routes[`${request.method} ${entered.path}`];
    return route?.(request) ?? notFound;
  }

  #page(): EmulatorResponse {
    const headers = {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': this.#policy,
    };
    return { status: 200, headers, body: encodeUtf8(this.#options.html) };
  }

  #events(lastEventId: string | undefined): EmulatorResponse {
    const { feed, hello } = this.#options;
    const updateOf = (records: readonly WatchedRecord[]) => this.#update(records);
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: new Uint8Array(),
      stream: eventStream({ feed, hello, lastEventId, updateOf }),
    };
  }

  #update(records: readonly WatchedRecord[]): Update {
    const { feed, control, learned, sources } = this.#options;
    const active = control?.faults.active() ?? [];
    return {
      rows: records.map((record) => this.#masked(rowOf(record, sources.faults))),
      from: feed.first,
      faults: active.map(({ name, times, ptnCd }) => ({ name, times, ptn_cd: ptnCd })),
      learned: this.#masked(learned?.() ?? []),
    };
  }

  #exchange(query: URLSearchParams): EmulatorResponse {
    const record = this.#options.feed.find(Number(query.get('id')));
    if (record === undefined) return gone;
    return readableResponse(200, this.#masked(detailOf(record, this.#options)));
  }

  #reveal({ body }: EmulatorRequest): EmulatorResponse {
    const reading = parseRequestObject(body);
    if (!reading.ok) return failure(400, 'The body must be one JSON object in UTF-8.');
    const { id, item } = reading.value;
    const record = this.#options.feed.find(Number(id));
    if (record === undefined) return gone;
    const value = revealedOf(record, String(item), this.#options.sources);
    return value === undefined
      ? failure(404, 'This exchange has no value of that name.')
      : readableResponse(200, { value });
  }

  /** Passes the request to a control path. */
  async #steer(path: string, request: EmulatorRequest): Promise<EmulatorResponse> {
    const { control, feed } = this.#options;
    if (control === undefined) return notFound;
    const response = await runControl({ ...request, path: controlPrefix + path }, control);
    feed.emit('change');
    return response;
  }

  #masked<T>(value: T): T {
    return this.#options.redaction.json(value) as T;
  }
}

function failure(status: number, message: string): EmulatorResponse {
  return readableResponse(status, { ok: false, error: { code: 'usage', message, hint: '' } });
}

const notFound = failure(404, 'Nothing found at this path.');
const gone = failure(404, 'This exchange is no longer available.');

export interface EventSourceOptions {
  readonly feed: Feed;
  readonly hello: Hello;
  /** `RUN.ID` of the last event of an earlier connection. */
  readonly lastEventId?: string;
  readonly updateOf: (records: readonly WatchedRecord[]) => Update;
}

/** Records of this time are sent together, so that a load test isn't a message each. */
const gatherMs = 40;
const mostAtOnce = 250;
/** The pause after a message, as a multiple of the time it took: the emulator goes first under load. */
const restFactor = 4;
/** Proxies close silent connections. */
const heartbeatMs = 15_000;
const reconnectMs = 500;

/**
 * Server-sent events (HTML Living Standard 9.2): `hello` first, then an `update` with what the page
 * has not seen, and one for new records. A page that reads too slowly is disconnected; it reconnects.
 */
export function eventStream(options: EventSourceOptions): OpenStream {
  const { feed, hello, updateOf } = options;
  return (sink) => {
    let seen = seenBefore(options);
    let restMs = gatherMs;
    let gathering: NodeJS.Timeout | undefined;
    const flush = (): void => {
      gathering = undefined;
      const waiting = feed.after(seen);
      const records = waiting.slice(0, mostAtOnce);
      seen = records.at(-1)?.id ?? seen;
      const startedAt = performance.now();
      const update = event('update', updateOf(records), `${hello.run}.${seen}`);
      restMs = Math.max(gatherMs, restFactor * (performance.now() - startedAt));
      if (!sink.write(update)) sink.end();
      else if (records.length < waiting.length) gather();
    };
    const gather = (): void => {
      gathering ??= setTimeout(flush, restMs).unref();
    };
    const end = () => sink.end();
    sink.write(`retry: ${reconnectMs}\n${event('hello', hello)}`);
    flush();
    feed.on('change', gather).on('close', end);
    const heartbeat = setInterval(() => sink.write(':\n\n'), heartbeatMs).unref();
    return () => {
      feed.off('change', gather).off('close', end);
      clearTimeout(gathering);
      clearInterval(heartbeat);
    };
  };
}

function seenBefore({ lastEventId = '', hello }: EventSourceOptions): number {
  const [run, id] = lastEventId.split('.');
  return run === hello.run && /^\d{1,15}$/.test(id ?? '') ? Number(id) : 0;
}

/** JSON without indentation has no line ends, so it is one `data` line. */
function event(name: string, data: unknown, id?: string): string {
  const numbered = id === undefined ? '' : `id: ${id}\n`;
  return `${numbered}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

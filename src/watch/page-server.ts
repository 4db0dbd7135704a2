import { encodeUtf8 } from '../bytes.ts';
import { type Control, controlPrefix, runControl } from '../emulator/control.ts';
import { type EmulatorRequest, type EmulatorResponse, readableResponse } from '../emulator/http.ts';
import type { Redaction } from '../emulator/journal.ts';
import { parseRequestObject } from '../protocol/request.ts';
import { type DetailSources, detailOf, revealedOf } from './details.ts';
import { eventStream } from './event-stream.ts';
import type { Feed } from './feed.ts';
import { enterPage, pagePolicy, pagePrefix, quietHeaders } from './page-access.ts';
import { rowOf, type WatchedRecord } from './rows.ts';
import type { Hello, LearnedSetting, Update } from './view/wire.ts';

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

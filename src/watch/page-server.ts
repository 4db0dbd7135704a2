import { encodeUtf8 } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import { type Control, runControl } from '../emulator/control.ts';
import { controlPrefix } from '../emulator/control-access.ts';
import { type EmulatorAnswer, type EmulatorRequest, readableAnswer } from '../emulator/http.ts';
import type { Redact } from '../emulator/journal.ts';
import { parseRequestObject } from '../protocol/request.ts';
import { type DetailSources, detailOf, revealedOf } from './details.ts';
import { eventStream } from './event-stream.ts';
import type { Feed } from './feed.ts';
import { titlesOf } from './findings.ts';
import { enterPage, pagePrefix } from './page-access.ts';
import { pagePolicy, quietHeaders } from './page-headers.ts';
import type { WatchedRecord } from './record.ts';
import { rowOf } from './rows.ts';
import type { Hello, Update } from './view/wire.ts';

/** What the page is served from. */
export interface PageOptions {
  /** The page, script and style in it. */
  readonly html: string;
  /** Unguessable; who has it may see everything. */
  readonly token: string;
  readonly hello: Hello;
  readonly feed: Feed;
  readonly control: Control;
  readonly sources: DetailSources;
  readonly redact: Redact;
}

type Route = (request: EmulatorRequest) => EmulatorAnswer | Promise<EmulatorAnswer>;

/** Serves the page on which an emulator is watched, and what the page asks for. */
export class PageServer {
  readonly #options: PageOptions;
  readonly #policy: string;
  readonly #routes: Readonly<Record<string, Route>> = {
    'GET ': () => this.#page(),
    'GET events': ({ headers }) => this.#events(headers['last-event-id']),
    'GET exchange': ({ query }) => this.#exchange(new URLSearchParams(query)),
    'POST reveal': (request) => this.#reveal(request),
    'POST clear': () => this.#clear(),
    'GET faults': (request) => this.#steer('faults', request),
    'POST faults': (request) => this.#steer('faults', request),
    'DELETE faults': (request) => this.#steer('faults', request),
    'POST signup': (request) => this.#steer('signup', request),
  };

  constructor(options: PageOptions) {
    this.#options = options;
    this.#policy = pagePolicy(options.html);
  }

  /** Where the page is to be opened. */
  get url(): string {
    return `${this.#origin}${pagePrefix}${this.#options.token}/`;
  }

  get #origin(): string {
    return new URL(this.#options.hello.url).origin;
  }

  /** The answer to a request for the page; undefined for every other path. */
  answer(request: EmulatorRequest): Promise<EmulatorAnswer> | undefined {
    return request.path.startsWith(pagePrefix) ? this.#enter(request) : undefined;
  }

  async #enter(request: EmulatorRequest): Promise<EmulatorAnswer> {
    const { token } = this.#options;
    const entered = enterPage(request, { origin: this.#origin, token });
    if ('refused' in entered) return failure(403, entered.refused);
    const route = this.#routes[`${request.method} ${entered.path}`];
    if (route === undefined) return failure(404, 'There is nothing here.');
    const answer = await route(request);
    return { ...answer, headers: { ...answer.headers, ...quietHeaders } };
  }

  #page(): EmulatorAnswer {
    const headers = {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': this.#policy,
    };
    return { status: 200, headers, body: encodeUtf8(this.#options.html) };
  }

  #events(lastEventId: string | undefined): EmulatorAnswer {
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
    const { feed, control } = this.#options;
    const titles = titlesOf(control.faults.catalogue);
    return {
      rows: records.map((record) => this.#masked(rowOf(record, titles), record)),
      from: feed.first,
      faults: control.faults
        .active()
        .map(({ name, times, ptnCd }) => ({ name, times, ptn_cd: ptnCd })),
    };
  }

  #exchange(query: URLSearchParams): EmulatorAnswer {
    const record = this.#options.feed.find(Number(query.get('id')));
    if (record === undefined) return gone();
    return plainAnswer(200, this.#masked(detailOf(record, this.#options.sources), record));
  }

  #reveal({ body }: EmulatorRequest): EmulatorAnswer {
    const reading = parseRequestObject(body);
    if (!reading.ok) return failure(400, 'The body must be one JSON object in UTF-8.');
    const { id, item } = reading.value;
    const record = this.#options.feed.find(Number(id));
    if (record === undefined) return gone();
    const value = revealedOf(record, String(item), this.#options.sources);
    return value === undefined
      ? failure(404, 'This exchange has nothing of that name.')
      : plainAnswer(200, { value });
  }

  #clear(): EmulatorAnswer {
    this.#options.feed.clear();
    return plainAnswer(200, {});
  }

  /** The control paths that the page may use, as they are for programs. */
  async #steer(path: string, request: EmulatorRequest): Promise<EmulatorAnswer> {
    const { control, feed } = this.#options;
    const answer = await runControl({ ...request, path: controlPrefix + path }, control);
    feed.wake();
    return answer;
  }

  #masked<T>(value: T, record: WatchedRecord): T {
    const { control, redact } = this.#options;
    return redact(value, secretsOf(record, control)) as T;
  }
}

function secretsOf(record: WatchedRecord, { journal }: Control): readonly Secret[] {
  if (record.way === 'in') return journal.secretsOf(record.call);
  return record.key === undefined ? [] : [record.key];
}

function gone(): EmulatorAnswer {
  return failure(404, 'This exchange is kept no more.');
}

function failure(status: number, message: string): EmulatorAnswer {
  const answer = plainAnswer(status, { ok: false, error: { code: 'usage', message, hint: '' } });
  return { ...answer, headers: { ...answer.headers, ...quietHeaders } };
}

function plainAnswer(status: number, value: unknown): EmulatorAnswer {
  return readableAnswer(status, value);
}

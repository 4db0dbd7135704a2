import { decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { stackNames } from '../diagnosis/diagnosis.ts';
import { failure } from '../emulator/control.ts';
import {
  type EmulatorRequest,
  type EmulatorResponse,
  type OpenStream,
  readableResponse,
} from '../emulator/http.ts';
import type { Redaction } from '../emulator/journal.ts';
import type { Stack } from '../errors.ts';
import { parseRequestObject } from '../protocol/operations.ts';
import type { Explanation } from '../reports/explanation.ts';
import { asStarted } from '../reports/human.ts';
import { counted } from '../text.ts';
import { enterPage, pagePolicy, pagePrefix, quietHeaders } from './access.ts';
import { type DecodedField, decodeExchange } from './decoded.ts';
import type { Cause, Feed, Watched, WatchedMessage } from './feed.ts';
import type {
  Detail,
  Finding,
  Hello,
  LearnedSetting,
  Message,
  Revealed,
  Row,
  Update,
} from './wire.ts';

export interface PageOptions {
  readonly html: string;
  /** Unguessable; whoever has it may see everything. */
  readonly token: string;
  readonly origin: string;
  readonly hello: Hello;
  readonly feed: Feed;
  /** What a relay has learned so far. */
  readonly learned?: () => readonly LearnedSetting[];
  /** What `explain` prints of a code. */
  readonly explain: (code: string) => Explanation | undefined;
  /** The language of the application, where there is evidence of it. */
  readonly stack: () => Stack | undefined;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
  readonly cipher: Cipher;
  /** Of `expire_dt`. */
  readonly timeZone?: string | undefined;
  /** Whether the page may ask for the values of secrets. */
  readonly reveals: boolean;
  readonly redaction: Redaction;
}

/** Serves the page on which an emulator or a relay is watched, and the requests of the page. */
export function servePage(options: PageOptions) {
  const { html, token, origin, feed, learned, cipher, timeZone, reveals, redaction } = options;

  const found = (
    id: unknown,
    respond: (watched: Watched) => EmulatorResponse,
  ): EmulatorResponse => {
    const watched = feed.find(Number(id));
    return watched === undefined ? gone : respond(watched);
  };

  /** The fields decoded; a relay has decrypted some, perhaps with a cipher that it found itself. */
  const decoded = ({ request, response, key, texts = {} }: Watched): readonly DecodedField[] => {
    const bodies = { request: request.body, response: response?.body ?? new Uint8Array() };
    return decodeExchange({ ...bodies, key, cipher, timeZone }).map((field) => {
      const text = texts[field.field]?.reveal();
      if (text === undefined) return field;
      return { ...field, value: text, note: counted([...text].length, 'character') };
    });
  };

  const secretOf = (watched: Watched, item: string): string | null => {
    if (item === 'request-body') return bodyText(watched.request.body);
    if (item === 'response-body') return watched.response && bodyText(watched.response.body);
    return decoded(watched).find((field) => itemOf(field) === item)?.value ?? null;
  };

  /** One exchange in full, without the values of secret fields; of the rest only the bodies are redacted. */
  const detailOf = (watched: Watched): Detail => ({
    request: shown(watched.request, redaction),
    response: watched.response && shown(watched.response, redaction),
    fields: decoded(watched).map((each) => {
      const { field, title, value, isSecret, note = null } = each;
      const item = reveals && isSecret && value !== null ? itemOf(each) : null;
      return { field, title, value: isSecret ? null : value, item, note };
    }),
    findings: watched.causes().map((cause) => findingOf(cause, options)),
    notes: watched.notes,
    reveals,
  });

  const routes: Readonly<Record<string, (request: EmulatorRequest) => EmulatorResponse>> = {
    'GET ': () => ({
      status: 200,
      headers: {
        'content-type': 'text/html;charset=utf-8',
        'content-security-policy': pagePolicy(html),
      },
      body: encodeUtf8(html),
    }),
    'GET events': ({ headers }) => {
      const updateOf = (rows: readonly Row[]) =>
        redaction.json({ rows, from: feed.first, learned: learned?.() ?? [] }) as Update;
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: new Uint8Array(),
        stream: eventStream(options, updateOf, headers['last-event-id']),
      };
    },
    'GET exchange': ({ query }) =>
      found(new URLSearchParams(query).get('id'), (watched) =>
        readableResponse(200, redaction.json(detailOf(watched))),
      ),
    'POST reveal': ({ body }) => {
      const reading = parseRequestObject(body);
      if (!reading.ok) return failure(400, 'The body must be one JSON object in UTF-8.');
      const { id, item } = reading.value;
      return found(id, (watched) => {
        const value = reveals ? secretOf(watched, String(item)) : null;
        return value === null
          ? failure(404, 'This exchange has no value of that name.')
          : readableResponse(200, { value } satisfies Revealed);
      });
    },
    'POST clear': () => {
      feed.clear();
      return readableResponse(200, {});
    },
  };

  return {
    url: `${origin}${pagePrefix}${token}/`,
    /** The response to a request for the page; undefined for every other path. */
    respond: (request: EmulatorRequest): EmulatorResponse | undefined => {
      if (!request.path.startsWith(pagePrefix)) return undefined;
      const entered = enterPage(request, options);
      const response =
        'refused' in entered
          ? failure(403, entered.refused)
          : (routes[`${request.method} ${entered.path}`]?.(request) ?? notFound);
      return { ...response, headers: { ...response.headers, ...quietHeaders } };
    },
  };
}

export type PageServer = ReturnType<typeof servePage>;

/** A cause with its entry in the catalogue. */
function findingOf(
  { kind, code, message, hint, calls, title, section }: Cause,
  options: Pick<PageOptions, 'explain' | 'stack' | 'program'>,
): Finding {
  const known = options.explain(code);
  const fix = hint || (known?.fix ?? '');
  const right = hint === '' ? (known?.calls ?? {}) : calls;
  const stack = options.stack();
  const call = stack && right[stack];
  const lacksStack = stack === undefined && Object.keys(right).length > 0;
  return {
    kind,
    code,
    title: title ?? known?.title ?? message,
    observed: message,
    meaning: known?.meaning ?? null,
    fix: asStarted(fix, options.program) + (lacksStack ? ' With --stack, the code is here.' : ''),
    call: call === undefined ? null : { stack: stackNames[stack as Stack], call },
    section: section ?? known?.section ?? null,
  };
}

function itemOf({ part, field }: DecodedField): string {
  return `${part}.${field}`;
}

const shownCharacters = 65_536;

function shown({ start, headers, body, notes }: WatchedMessage, redaction: Redaction): Message {
  const text = bodyText(body);
  const all = [
    ...notes,
    ...(decodeUtf8(body) === undefined ? ['not UTF-8, shown in Base64'] : []),
    ...(text.length > shownCharacters ? [`truncated after ${shownCharacters} characters`] : []),
  ];
  return {
    start,
    headers,
    body: redaction.head(text, shownCharacters),
    bodyBytes: body.length,
    note: all.join(', ') || null,
  };
}

function bodyText(body: Uint8Array): string {
  return decodeUtf8(body) ?? encodeBase64(body);
}

const notFound = failure(404, 'Nothing found at this path.');
const gone = failure(404, 'This exchange is no longer available.');

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
 * has not seen, and one for new records. A page that reads too slowly is disconnected; it reconnects,
 * and sends `RUN.ID` of the last event that it got.
 */
export function eventStream(
  { feed, hello }: Pick<PageOptions, 'feed' | 'hello'>,
  updateOf: (rows: readonly Row[]) => Update,
  lastEventId = '',
): OpenStream {
  return (sink) => {
    const [run, id = ''] = lastEventId.split('.');
    let seen = run === hello.run && /^\d{1,15}$/.test(id) ? Number(id) : 0;
    let restMs = gatherMs;
    let gathering: NodeJS.Timeout | undefined;
    const flush = (): void => {
      gathering = undefined;
      const waiting = feed.after(seen);
      const rows = waiting.slice(0, mostAtOnce);
      seen = rows.at(-1)?.id ?? seen;
      const startedAt = performance.now();
      const update = event('update', updateOf(rows), `${hello.run}.${seen}`);
      restMs = Math.max(gatherMs, restFactor * (performance.now() - startedAt));
      sink.write(update);
      if (rows.length < waiting.length) gather();
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

/** JSON without indentation has no line ends, so it is one `data` line. */
function event(name: string, data: unknown, id?: string): string {
  const numbered = id === undefined ? '' : `id: ${id}\n`;
  return `${numbered}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

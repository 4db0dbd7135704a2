import type { OpenStream } from '../emulator/http.ts';
import type { Feed } from './feed.ts';
import type { WatchedRecord } from './rows.ts';
import type { Hello, Update } from './view/wire.ts';

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

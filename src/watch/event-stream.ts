import type { OpenStream, StreamSink } from '../emulator/http.ts';
import type { Feed } from './feed.ts';
import type { WatchedRecord } from './record.ts';
import type { Hello, Update } from './view/wire.ts';

/** What a stream of events is made of. */
export interface EventSourceOptions {
  readonly feed: Feed;
  readonly hello: Hello;
  /** `RUN.ID` of the last event that the page has seen in an earlier connection. */
  readonly lastEventId?: string;
  readonly updateOf: (records: readonly WatchedRecord[]) => Update;
}

/** What comes within this time goes out together, so that a load test does not cost a message each. */
const gatherMs = 40;
const mostAtOnce = 250;
/** The emulator has its own work under load: so many times as long as rows took to make, none are made. */
const restFactor = 4;
/** A connection that says nothing is taken for dead by what lies between. */
const heartbeatMs = 15_000;
const reconnectMs = 500;

/**
 * Server-sent events (HTML Living Standard 9.2): `hello` first, then an `update` with what the page
 * has not seen, and one whenever something comes. A page that takes too little is let go; it comes
 * again and gets what is kept.
 */
export function eventStream(options: EventSourceOptions): OpenStream {
  return (sink) => {
    const pump = new Pump(options, sink);
    pump.start();
    return () => pump.stop();
  };
}

class Pump {
  readonly #options: EventSourceOptions;
  readonly #sink: StreamSink;
  #seen: number;
  #gathering: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #unlisten = () => {};
  #restMs = gatherMs;

  constructor(options: EventSourceOptions, sink: StreamSink) {
    this.#options = options;
    this.#sink = sink;
    this.#seen = seenBefore(options);
  }

  start(): void {
    const { feed, hello } = this.#options;
    this.#sink.write(`retry: ${reconnectMs}\n${event('hello', hello)}`);
    this.#flush();
    this.#unlisten = feed.listen(() => (feed.isClosed ? this.#sink.end() : this.#gather()));
    this.#heartbeat = setInterval(() => this.#sink.write(':\n\n'), heartbeatMs).unref();
  }

  stop(): void {
    this.#unlisten();
    clearTimeout(this.#gathering);
    clearInterval(this.#heartbeat);
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#flush();
    }, this.#restMs).unref();
  }

  #flush(): void {
    const { feed, hello, updateOf } = this.#options;
    const waiting = feed.after(this.#seen);
    const records = waiting.slice(0, mostAtOnce);
    this.#seen = records.at(-1)?.id ?? this.#seen;
    const startedAt = performance.now();
    const update = event('update', updateOf(records), `${hello.run}.${this.#seen}`);
    this.#restMs = Math.max(gatherMs, restFactor * (performance.now() - startedAt));
    if (!this.#sink.write(update)) this.#sink.end();
    else if (records.length < waiting.length) this.#gather();
  }
}

function seenBefore({ lastEventId = '', hello }: EventSourceOptions): number {
  const [run, id] = lastEventId.split('.');
  return run === hello.run && /^\d{1,15}$/.test(id ?? '') ? Number(id) : 0;
}

/** JSON has no line ends of its own, so it is one `data` line. */
function event(name: string, data: unknown, id?: string): string {
  const numbered = id === undefined ? '' : `id: ${id}\n`;
  return `${numbered}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

import type { OnReadOpts, Socket } from 'node:net';
import { encodeUtf8 } from '../bytes.ts';
import { diagnoseConnection } from '../diagnosis/connection.ts';
import type { ConnectionFacts } from '../diagnosis/connection-facts.ts';
import type { Diagnosis } from '../errors.ts';
import type { AnswerHeads } from './answer-head.ts';
import { AnswerParser } from './answer-parser.ts';
import { toWireRequest } from './call.ts';
import type { Exchange } from './exchange.ts';
import { asSent, type OwnHeaders } from './headers.ts';
import { headOf, writeRequest } from './lean-request.ts';
import { Limit } from './limit.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import type { Peeks } from './peek.ts';
import { isPlain, toWireAnswer } from './plain-reply.ts';
import { Progress, toWireFailure, WireFailure } from './progress.ts';
import { isBare, openRoute, type Route } from './route.ts';

/** What a lean connection posts to. */
export interface LeanTarget {
  readonly url: URL;
  readonly route: Route;
}

/** What a lean connection needs. */
export interface LeanSettings {
  /** What is posted to, URLs of one server, and the way to each; the connection is made by the first. */
  readonly targets: readonly [LeanTarget, ...LeanTarget[]];
  /** A person's own headers, checked. */
  readonly headers: OwnHeaders;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly peeks: Peeks;
  /** The heads that were read last, on any of the connections. */
  readonly answerHeads: AnswerHeads;
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number;
}

/** What became of one request. */
export interface LeanReply {
  readonly startedAt: number;
  readonly durationMs: number;
  /** The body of an answer of success that isn't compressed: nothing else need be looked at. */
  readonly plainBody?: Uint8Array;
  /** The whole exchange, as a transport would give it. */
  exchange(): Promise<Exchange>;
}

/** What one read takes at most; an answer of a right application fits in. */
const readBytes = 16_384;

/**
 * One kept connection that carries the POSTs of a load to one server, one at a time. It does what a
 * transport does (the same routes, limits, refusals and diagnoses; a kept connection that the peer
 * had closed is replaced) with a third of its work: the head of the request is made once, and of an
 * answer only what a right one needs is read. Requests are written as text and answers read into one
 * buffer where the socket can: both save 2 us a request of some 20.
 */
export class LeanConnection {
  readonly #settings: LeanSettings;
  readonly #route: Route;
  /** Heads of requests, by URL. */
  readonly #heads: readonly string[];
  /** Takes every read: to have a new one made for each takes longer than to parse it. */
  readonly #buffer = Buffer.allocUnsafeSlow(readBytes);
  /** Runs on after an answer, and means nothing then: to set it again is cheaper than a new one. */
  #timer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  #parser: AnswerParser;
  #progress: Progress;
  #opening: AbortController | undefined;
  #body = '';
  #which = 0;
  #startedAt = 0;
  /** Whether the connection was made for this request. */
  #fresh = false;
  #answered = false;
  #settle: ((reply: LeanReply) => void) | undefined;

  constructor(settings: LeanSettings) {
    this.#settings = settings;
    this.#route = settings.targets[0].route;
    const { targets, headers } = settings;
    this.#heads = targets.map(({ url, route }) => headOf(url, route, headers));
    this.#parser = new AnswerParser(settings.maxBodyBytes, settings.answerHeads);
    this.#progress = new Progress(settings.now);
  }

  /** Sends a body to one of the URLs; never rejects for the peer's faults. One at a time. */
  post(body: string, which = 0): Promise<LeanReply> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#body = body;
      this.#which = which;
      this.#startedAt = this.#settings.now();
      this.#timer ??= setTimeout(() => this.#timeOut(), this.#settings.timeoutMs);
      this.#timer.refresh();
      if (this.#socket === undefined) this.#open();
      else this.#write(this.#socket, false);
    });
  }

  /** Ends the connection; a request under way is never answered. */
  close(): void {
    this.#settle = undefined;
    clearTimeout(this.#timer);
    this.#drop();
  }

  #open(): void {
    const opening = new AbortController();
    this.#opening = opening;
    this.#fresh = true;
    this.#answered = false;
    this.#progress = new Progress(this.#settings.now);
    openRoute(this.#route, this.#progress, opening.signal, this.#readFor(opening)).then(
      (socket) => {
        if (this.#opening !== opening) socket.destroy();
        else this.#use(socket);
      },
      (error: unknown) => {
        if (this.#opening === opening) this.#fail(error);
      },
    );
  }

  #readFor(opening: AbortController): OnReadOpts | undefined {
    if (!isBare(this.#route)) return undefined;
    return {
      buffer: this.#buffer,
      callback: (size) => {
        if (this.#opening === opening) this.#receive(this.#buffer.subarray(0, size));
        return true;
      },
    };
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    const own = (act: () => void) => () => {
      if (this.#socket === socket) act();
    };
    if (!isBare(this.#route)) {
      socket.on('data', (chunk: Buffer) => {
        if (this.#socket === socket) this.#receive(chunk);
      });
    }
    socket.on('error', (error) => own(() => this.#fail(error))());
    socket.on(
      'end',
      own(() => this.#end()),
    );
    socket.on(
      'close',
      own(() => this.#end()),
    );
    this.#write(socket, true);
  }

  #write(socket: Socket, fresh: boolean): void {
    this.#fresh = fresh;
    this.#answered = false;
    this.#parser = new AnswerParser(this.#settings.maxBodyBytes, this.#settings.answerHeads);
    writeRequest(socket, this.#heads[this.#which] ?? '', this.#body);
  }

  #receive(chunk: Buffer): void {
    if (this.#settle === undefined) {
      this.#drop(); // nobody asked
      return;
    }
    this.#answered = true;
    try {
      if (this.#parser.feed(chunk)) this.#complete();
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(): void {
    if (this.#settle === undefined) this.#drop();
    else if (this.#parser.end()) this.#complete();
    else
      this.#fail(new WireFailure({ errorCode: 'UND_ERR_SOCKET', errorText: 'other side closed' }));
  }

  #complete(): void {
    const parser = this.#parser;
    if (!parser.keepsAlive) this.#drop();
    if (this.#fresh) this.#settings.peeks.needless(this.#route);
    const plainBody = isPlain(parser) ? parser.body : undefined;
    this.#reply({ plainBody, outcome: () => this.#outcomeOf(parser) });
  }

  async #outcomeOf(parser: AnswerParser): Promise<Outcome> {
    const partial = toWireAnswer(parser);
    if (partial === undefined) throw new TypeError('an answer without a head');
    const { maxBodyBytes } = this.#settings;
    const diagnose = (facts: Partial<ConnectionFacts>) => this.#diagnose(facts);
    return readOutcome(partial, parser, { route: this.#route, maxBodyBytes, diagnose });
  }

  /** A kept connection that was closed before any byte of the answer is replaced, not blamed. */
  #fail(error: unknown): void {
    const failure = toWireFailure(error);
    if (!this.#fresh && !this.#answered && closed.test(failure.facts.errorCode ?? '')) {
      this.#drop();
      this.#open();
      return;
    }
    this.#giveUp(failure.facts);
  }

  #timeOut(): void {
    if (this.#settle !== undefined) this.#giveUp({ timeoutMs: this.#settings.timeoutMs });
  }

  #giveUp(facts: Partial<ConnectionFacts>): void {
    const parser = this.#parser;
    const progress = this.#progress;
    if (this.#socket !== undefined) {
      progress.phase = parser.head !== undefined ? 'body' : 'first-byte';
      if (this.#socket.writableLength > 0) progress.phase = 'request';
    }
    progress.answered = this.#answered;
    this.#drop();
    const seen = { ...facts, bodyBytes: parser.body.length, announcedBytes: parser.announcedBytes };
    const { phase, atProxy } = progress;
    this.#reply({
      outcome: async () => {
        const speaks =
          facts.timeoutMs === undefined ? await this.#look(facts, progress) : undefined;
        const failure = this.#diagnose({ ...seen, phase, atProxy, speaks });
        return { failure, partial: toWireAnswer(parser) };
      },
    });
  }

  async #look(facts: Partial<ConnectionFacts>, progress: Progress) {
    const limit = new Limit(this.#settings.timeoutMs);
    const { peeks } = this.#settings;
    return peeks.look(facts, this.#route, progress, limit).finally(() => limit.release());
  }

  #reply(made: { plainBody?: Uint8Array; outcome: () => Promise<Outcome> }): void {
    const settle = this.#settle;
    this.#settle = undefined;
    const startedAt = this.#startedAt;
    const durationMs = this.#settings.now() - startedAt;
    const { targets, headers } = this.#settings;
    const url = targets[this.#which]?.url ?? this.#route.target;
    const body = this.#body;
    settle?.({
      startedAt,
      durationMs,
      plainBody: made.plainBody,
      exchange: async () => {
        const request = asSent(toWireRequest(url, encodeUtf8(body)), headers);
        const outcome = await made.outcome();
        return { request, startedAt, durationMs, timings: {}, attempts: 1, ...outcome };
      },
    });
  }

  #diagnose(facts: Partial<ConnectionFacts>): Diagnosis {
    const { target, proxy } = this.#route;
    const where = { target, proxy: proxy?.url, now: this.#settings.now() };
    return diagnoseConnection({ phase: 'body', ...facts, ...where });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#opening?.abort(new Error('The connection was given up.'));
    this.#opening = undefined;
    socket?.on('error', () => {}).destroy();
  }
}

const closed = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

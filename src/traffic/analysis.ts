import { checks } from '../conformance/catalogue.ts';
import type { CheckFacts } from '../conformance/check.ts';
import type { CheckResult, RunResult } from '../conformance/result.ts';
import { serviceReviews } from '../conformance/service-reviews.ts';
import { signinChecks } from '../conformance/signin-catalogue.ts';
import { formatCipher } from '../crypto/cipher.ts';
import { Recent } from '../latest-results.ts';
import { type CapturedExchange, toExchange } from './capture.ts';
import { callbackFacts, logFacts } from './departures.ts';
import type { Finding } from './exchange-review.ts';
import { type DistinctFinding, Findings, Tally } from './findings.ts';
import { Judge, type Judgement, type Knowledge } from './judge.ts';

type Operation = CapturedExchange['operation'];

/** More users than this are counted as this many. */
const mostUsers = 100_000;
/** Seconds in which exchanges began: two weeks of traffic in every one. */
const mostSeconds = 1_200_000;

/** Seconds that an interval of failures over time may last; the whole has at most `mostIntervals`. */
const intervalSeconds = [1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400];
const mostIntervals = 72;

/** They take a few seconds, however long the capture is. */
const examinedKeys = { atOnce: 100, perSecond: 0 };

/** Which exchanges are told about; all are judged, as earlier ones have the keys of later ones. */
export interface Selection {
  readonly ptnCd?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A user for whom something failed. */
export interface AffectedUser {
  readonly ptnCd: string;
  readonly firstAt?: number;
  readonly lastAt?: number;
  readonly count: number;
  readonly operation: Operation;
  readonly check: string;
  readonly cause: string;
  readonly isStillWrong?: (() => boolean) | undefined;
}

function forEachOperation<T>(make: () => T): Record<Exclude<Operation, 'other'>, T> {
  return { 'key-exchange': make(), registration: make(), token: make(), authenticate: make() };
}

/** Judges all exchanges of a capture, in constant memory, and sums up. */
export class Analysis {
  readonly #judge = new Judge(examinedKeys);
  readonly #knowledge: Knowledge;
  readonly #selection: Selection;
  readonly #users = new Set<string>();
  readonly #affected = new Map<string, AffectedUser>();
  readonly #findings = new Findings();
  /** Of the callbacks that succeeded, by operation. */
  readonly #succeeded = { 'key-exchange': new Tally(), registration: new Tally() };
  readonly operations = forEachOperation(() => 0);
  /** Exchanges of something else. */
  others = 0;
  /** Requests with a response that was judged. */
  complete = 0;
  #answered = 0;
  #failed = 0;
  /** Of them, those that a later payload may explain. */
  readonly #doubts: { readonly at: number | undefined; readonly isStillWrong: () => boolean }[] =
    [];
  /** Of them, those that only a guessed key shows. */
  #failedByGuess = 0;
  /** Of them, those without a response. */
  #unanswered = 0;
  /** Recorded without the values of secrets. */
  redacted = 0;
  /** How many exchanges began in each second, of the latest. */
  readonly #seconds = forEachOperation(() => new Recent<number, number>(mostSeconds));
  /** How many of them failed, without those that a later payload may explain. */
  readonly #failedSeconds = new Recent<number, number>(mostSeconds);
  #firstAt: number | undefined;
  #lastAt: number | undefined;

  constructor(knowledge: Knowledge, selection: Selection = {}) {
    this.#knowledge = knowledge;
    this.#selection = selection;
  }

  async add(captured: CapturedExchange): Promise<Judgement> {
    const judgement = await this.#judge.judge(captured, this.#knowledge);
    const { operation } = captured;
    if (operation === 'other') this.others += 1;
    else if (this.selects(captured, judgement)) this.#count(captured, judgement, operation);
    return judgement;
  }

  /** Whether an exchange is of the user and the time that are asked for. */
  selects({ startedAt }: CapturedExchange, judgement: Judgement): boolean {
    const { ptnCd, since = -Infinity, until = Infinity } = this.#selection;
    if (ptnCd !== undefined && judgement.ptnCd !== ptnCd) return false;
    if (startedAt === undefined) return since === -Infinity && until === Infinity;
    return startedAt >= since && startedAt <= until;
  }

  #count(captured: CapturedExchange, judgement: Judgement, operation: Exclude<Operation, 'other'>) {
    const { startedAt: at, request, response, failure, isUnanswered } = captured;
    const { ok, findings, ptnCd } = judgement;
    this.operations[operation] += 1;
    if (request && response && !response.isCut) this.complete += 1;
    if (response || (failure && !isUnanswered)) this.#answered += 1;
    if (!ok) this.#failed += 1;
    const { isStillWrong } = judgement;
    if (isStillWrong) this.#doubts.push({ at, isStillWrong });
    if (!ok && isUnanswered) this.#unanswered += 1;
    const isGuess = ({ check, isKeyGuessed }: Finding) => isKeyGuessed || check.level !== 'must';
    if (!ok && findings.every(isGuess)) this.#failedByGuess += 1;
    if (captured.isRedacted) this.redacted += 1;
    if (ptnCd !== undefined && this.#users.size < mostUsers) this.#users.add(ptnCd);
    if (at !== undefined) {
      this.#firstAt = Math.min(this.#firstAt ?? at, at);
      this.#lastAt = Math.max(this.#lastAt ?? at, at);
      const second = Math.floor(at / 1000);
      const seconds = this.#seconds[operation];
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
      if (!ok && !isStillWrong && !findings.every(isGuess))
        this.#failedSeconds.set(second, (this.#failedSeconds.get(second) ?? 0) + 1);
    }
    if (ok && response && (operation === 'key-exchange' || operation === 'registration'))
      this.#succeeded[operation].add(captured);
    for (const finding of findings) {
      const fault = { evidence: toExchange(captured), ...finding.fault };
      this.#findings.add({ ...finding, fault, isUnanswered }, captured, ptnCd);
      if (ptnCd && !isGuess(finding)) this.#affect(captured, ptnCd, finding);
    }
  }

  #affect(
    { operation, startedAt: firstAt, isUnanswered }: CapturedExchange,
    ptnCd: string,
    { check, fault, isStillWrong: isWrong }: Finding,
  ): void {
    const known = this.#affected.get(ptnCd);
    if (known === undefined && this.#affected.size >= mostUsers) return;
    const { diagnosis, observed } = fault;
    const cause = diagnosis ? `${diagnosis.code}: ${diagnosis.message}` : observed;
    const isStillWrong = isUnanswered ? () => this.#hasResponses : isWrong;
    const first = { ptnCd, firstAt, operation, check: check.id, cause, isStillWrong, count: 0 };
    const user = known ?? first;
    const lastAt = firstAt ?? user.firstAt;
    this.#affected.set(ptnCd, { ...user, lastAt, count: user.count + 1 });
  }

  /** Whether the capture has most responses: else it says nothing that one is missing. */
  get #hasResponses(): boolean {
    return this.#answered > this.#unanswered;
  }

  get exchanges(): number {
    return Object.values(this.operations).reduce((sum, count) => sum + count, 0);
  }

  get users(): readonly string[] {
    return [...this.#users];
  }

  get affected(): readonly AffectedUser[] {
    return [...this.#affected.values()].filter(({ isStillWrong }) => isStillWrong?.() !== false);
  }

  /** The times of the first and the last exchange. */
  get times(): readonly number[] {
    return [this.#firstAt, this.#lastAt].flatMap((at) => at ?? []);
  }

  /** Exchanges in which a `must` is broken. */
  get failed(): number {
    const guessed = this.#isOfOneUser ? 0 : this.#failedByGuess;
    const unanswered = this.#hasResponses ? 0 : this.#unanswered;
    return (
      this.#failed -
      guessed -
      unanswered -
      this.#doubts.filter(({ isStillWrong }) => !isStillWrong()).length
    );
  }

  /** Exchanges and failures by intervals of one length, from the first to the last; empty where nothing failed. */
  get overTime() {
    const [from = 0, to = 0] = this.times.map((at) => Math.floor(at / 1000));
    if (this.failed === 0 || from === to) return [];
    const fits = (each: number) => (to - from) / each < mostIntervals;
    const seconds =
      intervalSeconds.find(fits) ?? Math.ceil((to - from) / mostIntervals / 86_400) * 86_400;
    const start = from - (from % seconds);
    const intervals = Array.from({ length: Math.floor((to - start) / seconds) + 1 }, (_, index) => {
      return { startedAt: (start + index * seconds) * 1000, seconds, exchanges: 0, failed: 0 };
    });
    const add = (field: 'exchanges' | 'failed', second: number, count: number) => {
      const interval = intervals[Math.floor((second - start) / seconds)];
      if (interval !== undefined) interval[field] += count;
    };
    for (const counts of Object.values(this.#seconds))
      for (const [second, count] of counts) add('exchanges', second, count);
    for (const [second, count] of this.#failedSeconds) add('failed', second, count);
    for (const { at, isStillWrong } of this.#doubts)
      if (at !== undefined && isStillWrong()) add('failed', Math.floor(at / 1000), 1);
    return intervals;
  }

  /** By harm. */
  get findings(): readonly DistinctFinding[] {
    return this.#findings.all.filter(
      ({ isKeyGuessed, isUnanswered }) =>
        (!isKeyGuessed || this.#isOfOneUser) && (!isUnanswered || this.#hasResponses),
    );
  }

  /** What sets the exchanges of a finding apart from those that succeeded. */
  apart({ operation, traits }: DistinctFinding): readonly string[] {
    if (operation !== 'key-exchange' && operation !== 'registration') return [];
    return traits.apartFrom(this.#succeeded[operation]);
  }

  /** How many exchanges of its operation there were before a finding was first seen, and since; undefined without times. */
  rate({ operation, firstAt, count }: DistinctFinding) {
    if (operation === 'other' || firstAt === undefined) return undefined;
    let [before, since] = [0, 0];
    for (const [second, exchanges] of this.#seconds[operation]) {
      if (second < Math.floor(firstAt / 1000)) before += exchanges;
      else since += exchanges;
    }
    return since < count ? undefined : { before, since };
  }

  /** Payloads of several users that the given key doesn't decrypt. */
  get notWithKey(): number {
    const guessed = this.#findings.all.filter(({ isKeyGuessed }) => isKeyGuessed);
    return this.#isOfOneUser ? 0 : guessed.reduce((sum, { count }) => sum + count, 0);
  }

  get #isOfOneUser(): boolean {
    return this.#users.size <= 1;
  }

  /** The same as a run of checks, for reports: each check that traffic can show. */
  result(now: number): RunResult {
    const startedAt = this.#firstAt ?? now;
    return {
      clientId: '',
      cipher: formatCipher(this.#knowledge.cipher),
      seed: '',
      strict: false,
      startedAt,
      durationMs: Math.max(0, (this.#lastAt ?? startedAt) - startedAt),
      checks: this.#seenChecks().map((check) => this.#resultOf(check, startedAt)),
      controls: [],
      exchanges: [],
      requests: 0,
      users: this.users,
      interrupted: false,
    };
  }

  #seenChecks(): readonly CheckFacts[] {
    const { 'key-exchange': keys, registration, token, authenticate } = this.operations;
    const signIns = token + authenticate;
    const found = new Set(this.findings.map(({ check }) => check.id));
    const isSeen = ({ id }: CheckFacts): boolean => {
      if (id.startsWith('key-exchange/')) return keys > 0;
      if (id.startsWith('registration/')) return registration > 0;
      return id.startsWith('service/') || id.startsWith('signin/')
        ? signIns > 0
        : keys + registration > 0;
    };
    const passive = [
      ...Object.values(callbackFacts),
      ...Object.values(logFacts).filter(({ id }) => found.has(id)),
      ...checks.filter(({ id, review }) => review !== undefined || found.has(id)),
      ...signinChecks.filter(({ reviewCall, id }) => reviewCall !== undefined || found.has(id)),
      ...serviceReviews,
    ];
    return passive.filter(isSeen);
  }

  #resultOf(check: CheckFacts, startedAt: number): CheckResult {
    const base = { check, startedAt, durationMs: 0, exchanges: [], notes: [] };
    const found = this.findings.find((finding) => finding.check.id === check.id);
    if (found === undefined) return { ...base, status: 'passed' };
    const { count, source, fault } = found;
    const status = found.check.level === 'must' ? 'failed' : 'warned';
    const seen = `${count} times, first in ${source}`;
    return { ...base, status, fault: { ...fault, observed: `${fault.observed} (${seen})` } };
  }
}

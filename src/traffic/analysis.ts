import { checks } from '../conformance/catalogue.ts';
import type { CheckFacts } from '../conformance/check.ts';
import type { CheckResult, RunResult } from '../conformance/result.ts';
import { serviceReviews } from '../conformance/service-reviews.ts';
import { signinChecks } from '../conformance/signin-catalogue.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import type { CapturedExchange } from './capture.ts';
import { callbackFacts } from './departures.ts';
import type { ExaminedKeys } from './drawn-keys.ts';
import type { Finding } from './exchange-review.ts';
import { type Departures, type DistinctFinding, Findings } from './findings.ts';
import { Judge, type Judgement, type Knowledge } from './judge.ts';
import { toExchange } from './judged-exchange.ts';

type Operation = CapturedExchange['operation'];

/** More users than this are counted as this many. */
const mostUsers = 100_000;

/** They take a few seconds, however long the capture is. */
const examinedKeys: ExaminedKeys = { atOnce: 100, perSecond: 0 };

/** Judges all exchanges of a capture, in constant memory, and sums up. */
export class Analysis {
  readonly #judge: Judge;
  readonly #knowledge: Knowledge;
  readonly #users = new Set<string>();
  readonly #findings = new Findings();
  readonly operations: Record<Exclude<Operation, 'other'>, number> = {
    'key-exchange': 0,
    registration: 0,
    token: 0,
    authenticate: 0,
  };
  /** Exchanges of something else. */
  others = 0;
  #failed = 0;
  /** Of them, those that only a guessed key shows. */
  #failedByGuess = 0;
  /** Recorded without the values of secrets. */
  redacted = 0;
  #firstAt: number | undefined;
  #lastAt: number | undefined;

  constructor(knowledge: Knowledge, examined = examinedKeys) {
    this.#judge = new Judge(examined);
    this.#knowledge = knowledge;
  }

  async add(captured: CapturedExchange): Promise<Judgement> {
    const judgement = await this.#judge.judge(captured, this.#knowledge);
    const { operation, startedAt, source } = captured;
    if (operation === 'other') {
      this.others += 1;
      return judgement;
    }
    this.operations[operation] += 1;
    if (!judgement.ok) this.#failed += 1;
    const isGuess = ({ check, isKeyGuessed }: Finding) => isKeyGuessed || check.level !== 'must';
    if (!judgement.ok && judgement.findings.every(isGuess)) this.#failedByGuess += 1;
    if (captured.isRedacted) this.redacted += 1;
    const { ptnCd } = judgement;
    if (ptnCd !== undefined && this.#users.size < mostUsers) this.#users.add(ptnCd);
    this.#firstAt ??= startedAt;
    this.#lastAt = startedAt ?? this.#lastAt;
    for (const finding of judgement.findings) {
      const fault = { evidence: toExchange(captured), ...finding.fault };
      this.#findings.add({ ...finding, fault }, source, ptnCd);
    }
    return judgement;
  }

  get exchanges(): number {
    return Object.values(this.operations).reduce((sum, count) => sum + count, 0);
  }

  get users(): readonly string[] {
    return [...this.#users];
  }

  /** Exchanges in which a `must` is broken. */
  get failed(): number {
    return this.#failed - (this.#isOfOneUser ? 0 : this.#failedByGuess);
  }

  /** What a `must` requires first, then by how often it is wrong. */
  get findings(): readonly DistinctFinding[] {
    return this.#findings.all.filter(({ isKeyGuessed }) => !isKeyGuessed || this.#isOfOneUser);
  }

  /** Payloads of several users that the given key doesn't decrypt. */
  get notWithKey(): number {
    const guessed = this.#findings.all.filter(({ isKeyGuessed }) => isKeyGuessed);
    return this.#isOfOneUser ? 0 : guessed.reduce((sum, { count }) => sum + count, 0);
  }

  get #isOfOneUser(): boolean {
    return this.#users.size <= 1;
  }

  get departures(): Departures {
    return this.#findings.departures;
  }

  /** The same as a run of checks, for reports: each check that traffic can show. */
  result({ now, seed }: { readonly now: number; readonly seed: string }): RunResult {
    const startedAt = this.#firstAt ?? now;
    return {
      clientId: '',
      cipher: formatCipher(this.#knowledge.cipher),
      seed,
      strict: false,
      startedAt,
      durationMs: Math.max(0, (this.#lastAt ?? startedAt) - startedAt),
      checks: this.#seenChecks().map((check) => this.#resultOf(check, startedAt)),
      controls: [],
      exchanges: [],
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

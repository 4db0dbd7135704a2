import { encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { Secret } from '../crypto/secret.ts';
import { encodeNegativeAnswer, successCode } from '../protocol/answer.ts';
import { readJson } from '../protocol/json.ts';
import type { AnswerPoints, Situation } from './faults/points.ts';
import type { CallFacts, Environment, Handled, Operation, Refusal } from './handling.ts';
import { type EmulatorRequest, jsonAnswer } from './http.ts';

/** What a handler decided: the encoded answer of success, or the refusal. */
export type Outcome =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly refusal: Refusal };

type Refused = Extract<Outcome, { ok: false }>;

/** What a call needs of the faults that are on: the points that both sides have. */
interface AnswerFaults {
  readonly acted: readonly string[];
  has(point: keyof AnswerPoints): boolean;
  pass<Name extends keyof AnswerPoints>(
    point: Name,
    right: AnswerPoints[Name]['right'],
    seen: Situation,
  ): AnswerPoints[Name]['right'];
}

/** What both sides are set to. */
export interface Side {
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly environment: Environment;
}

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie'];

/** One request on its way through a handler, with what is learned from it. */
export class Call {
  readonly request: EmulatorRequest;
  readonly #side: Side;
  readonly #faults: AnswerFaults;
  readonly #memory: Map<string, unknown>;
  readonly #secrets = new Set<string>();
  #refusal: Refusal | undefined;
  operation: Operation | undefined;
  ptnCd: string | undefined;
  /** The `client_id` of the request. */
  clientId: string | undefined;
  /** What is kept about the user, before this call changes it. */
  user: Situation['user'];
  /** The per-user key that the call is about, once it is known. */
  key: string | undefined;

  constructor(
    request: EmulatorRequest,
    side: Side,
    faults: { readonly call: AnswerFaults; readonly memory: Map<string, unknown> },
  ) {
    this.request = request;
    this.#side = side;
    this.#faults = faults.call;
    this.#memory = faults.memory;
    this.hide(...secretHeaders.map((name) => request.headers[name]));
  }

  /** Marks values as secrets of this call, for redaction. */
  hide(...secrets: readonly (string | Secret | undefined)[]): void {
    for (const secret of secrets) {
      const text = Secret.textOf(secret);
      if (text) this.#secrets.add(text);
    }
  }

  /** What a fault can see now. */
  seen(): Situation {
    const { clientId, cipher, environment } = this.#side;
    return {
      request: this.request,
      operation: this.operation,
      ptnCd: this.ptnCd,
      clientId,
      refusal: this.#refusal,
      cipher,
      user: this.user,
      key: this.key,
      now: environment.now(),
      randomBytes: environment.randomBytes,
      memory: this.#memory,
    };
  }

  /**
   * The refusal as an outcome; undefined where a fault lets the request pass, or where there is
   * nothing to refuse and no fault does so all the same.
   */
  refuse(refusal: Refusal | undefined): Refused | undefined {
    const stands = this.#faults.pass('refusal', refusal, this.seen());
    return stands && { ok: false, refusal: stands };
  }

  /** The HTTP answer of an outcome, past every point where a fault may spoil it. */
  finish(outcome: Outcome): Handled {
    if (!outcome.ok) this.#refusal = outcome.refusal;
    const right = outcome.ok ? outcome.body : encodeNegativeAnswer(outcome.refusal);
    const body = this.#faults.pass('body', this.#spoilValue(right), this.seen());
    const { status, headers } = outcome.ok ? { status: 200, headers: {} } : outcome.refusal;
    const plain = jsonAnswer(status, body, headers);
    const answer = this.#faults.pass('answer', plain, this.seen());
    return { answer, facts: this.#facts(outcome) };
  }

  #spoilValue(right: Uint8Array): Uint8Array {
    if (!this.#faults.has('value')) return right;
    const reading = readJson(right);
    const value = reading.ok ? reading.value : undefined;
    const spoilt = this.#faults.pass('value', value, this.seen());
    return spoilt === value ? right : encodeUtf8(JSON.stringify(spoilt));
  }

  #facts(outcome: Outcome): CallFacts {
    return {
      operation: this.operation,
      ptnCd: this.ptnCd,
      clientId: this.clientId,
      code: outcome.ok ? successCode : outcome.refusal.code,
      refusal: outcome.ok ? undefined : outcome.refusal,
      key: this.key === undefined ? undefined : Secret.key(this.key),
      faults: this.#faults.acted,
      secrets: [...this.#secrets].map((text) => Secret.text(text)),
    };
  }
}

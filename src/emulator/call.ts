import { encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { Secret } from '../crypto/secret.ts';
import { readJson } from '../protocol/json.ts';
import { encodeNegativeResponse, successCode } from '../protocol/response.ts';
import { secretsInMessage } from '../protocol/secret-fields.ts';
import { readUserInformation } from '../protocol/user.ts';
import type { ResponsePoints, Situation } from './faults/points.ts';
import type { CallFaults } from './faults/switchboard.ts';
import type { CallFacts, Environment, Handled, Operation, Refusal } from './handling.ts';
import { type EmulatorRequest, jsonResponse } from './http.ts';

/** A handler's decision: the encoded response of success, or the refusal. */
export type Outcome =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly refusal: Refusal };

type Refused = Extract<Outcome, { ok: false }>;

type ResponseFaults = Pick<CallFaults<ResponsePoints>, 'acted' | 'pass'>;

export interface Side {
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly environment: Environment;
}

/** One request on its way through a handler, and what is known about it. */
export class Call {
  readonly request: EmulatorRequest;
  readonly #side: Side;
  readonly #faults: ResponseFaults;
  readonly #secrets = new Set<string>();
  #refusal: Refusal | undefined;
  operation: Operation | undefined;
  ptnCd: string | undefined;
  clientId: string | undefined;
  /** As stored before this call. */
  user: Situation['user'];
  key: string | undefined;

  constructor(request: EmulatorRequest, side: Side, faults: ResponseFaults) {
    this.request = request;
    this.#side = side;
    this.#faults = faults;
    const { headers, query, body } = request;
    const sent = secretsInMessage({ headers: Object.entries(headers), query, body });
    for (const secret of sent) this.#secrets.add(secret);
  }

  hide(...secrets: readonly (string | Secret | undefined)[]): void {
    for (const secret of secrets) {
      const text = Secret.textOf(secret);
      if (text) this.#secrets.add(text);
    }
  }

  /** The same for user information, as a whole and each attribute other than the user's code. */
  hideUserInformation(info: Secret | undefined): void {
    if (info === undefined) return;
    const { email, name, phone } = readUserInformation(info.reveal());
    this.hide(info, ...[email, name, phone].filter((value) => value !== this.ptnCd));
  }

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
    };
  }

  /** The refusal as an outcome, unless a fault lets the request pass; faults may also add one. */
  refuse(refusal: Refusal | undefined): Refused | undefined {
    const refused = this.#faults.pass('refusal', refusal, this.seen());
    return refused && { ok: false, refusal: refused };
  }

  /** The HTTP response of an outcome, as the faults that are on change it. */
  finish(outcome: Outcome): Handled {
    if (!outcome.ok) this.#refusal = outcome.refusal;
    const right = outcome.ok ? outcome.body : encodeNegativeResponse(outcome.refusal);
    const body = this.#faults.pass('body', this.#editValue(right), this.seen());
    const { status, headers } = outcome.ok ? { status: 200, headers: {} } : outcome.refusal;
    const plain = jsonResponse(status, body, headers);
    const response = this.#faults.pass('response', plain, this.seen());
    return { response, facts: this.#facts(outcome) };
  }

  #editValue(right: Uint8Array): Uint8Array {
    const reading = readJson(right);
    const value = reading.ok ? reading.value : undefined;
    const edited = this.#faults.pass('value', value, this.seen());
    return edited === value ? right : encodeUtf8(JSON.stringify(edited));
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

import type { RandomBytes } from '../bytes.ts';
import type { CallOutcome, KeyExchangeOutcome, RegistrationOutcome } from '../client/call.ts';
import { call } from '../client/call.ts';
import type { Exchange, Transport, WireRequest } from '../client/exchange.ts';
import {
  exchangeKey,
  judgeKeyExchange,
  type KeyExchangeInput,
  keyExchangeRequest,
  type RegistrationInput,
  register,
  registrationRequest,
} from '../client/signup.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { readKeyExchangeResponse, readRegistrationResponse } from '../protocol/callbacks.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Check } from './check.ts';
import {
  type CheckContext,
  checkHeader,
  type RunEnvironment,
  type SignUpOptions,
} from './context.ts';
import { expectAccepted, expectRefused, failWith, orSkip, untested } from './expect.ts';
import { isAmbiguousForm, isWrapCode } from './keys.ts';
import { type MalformedName, malform, operationOf } from './malformed.ts';
import type { RecordedExchange, RunRecord } from './result.ts';
import { seededBytes } from './test-data.ts';

export class Sender implements CheckContext {
  readonly check: Check;
  readonly users: readonly string[];
  readonly environment: RunEnvironment;
  readonly randomBytes: RandomBytes;
  readonly sent: RecordedExchange[] = [];

  constructor(check: Check, users: readonly string[], environment: RunEnvironment) {
    this.check = check;
    this.users = users;
    this.environment = environment;
    this.randomBytes = seededBytes(`${environment.seed}\0${check.id}`);
  }

  get record(): RunRecord {
    return this.environment.record;
  }

  get user(): string {
    return this.users[0] ?? '';
  }

  get url(): URL {
    if (this.environment.url === undefined)
      throw new TypeError('a check of the callback needs its URL');
    return this.environment.url;
  }

  hasPassed(id: string): boolean {
    return this.environment.results.get(id)?.status === 'passed';
  }

  async exchange(ptnCd: string, options: SignUpOptions = {}): Promise<KeyExchangeOutcome> {
    const input = await this.#exchangeInput(ptnCd, options.keyPair);
    const { record, emit } = this.environment;
    record.users.add(ptnCd);
    return this.#send({ operation: 'key-exchange', intent: 'right', ptnCd }, async () => {
      const outcome = await exchangeKey(this.#transport(options), input);
      record.keyExchanges.push({ ptnCd, outcome });
      if (outcome.key !== undefined) emit({ type: 'secret', value: outcome.key });
      return outcome;
    });
  }

  async obtainKey(ptnCd: string, options: SignUpOptions = {}): Promise<string> {
    return this.keyIn(await this.acceptedExchange(ptnCd, options));
  }

  async acceptedExchange(ptnCd: string, options: SignUpOptions = {}): Promise<KeyExchangeOutcome> {
    const outcome = await this.exchange(ptnCd, options);
    expectAccepted(outcome, options.what ?? 'a key exchange');
    return outcome;
  }

  keyIn(outcome: KeyExchangeOutcome): string {
    const { reported } = this.record;
    const { key, diagnoses, diagnosis, result } = outcome;
    // What is wrong with an accepted exchange: its response, and how the key is encrypted.
    const ofWrap = diagnoses.filter(({ code }) => isWrapCode(code));
    const faults = result === undefined && diagnosis ? [diagnosis, ...ofWrap] : ofWrap;
    const fault = faults.find(({ code }) => !reported.has(code));
    if (fault !== undefined) {
      failWith(fault, 'a key that is wrapped as earlier in this run', fault.code, outcome.exchange);
    }
    if (key === undefined) return untested('No per-user key can be read from enc_partner_key.');
    const unclear = diagnoses.find(({ code }) => isAmbiguousForm(code));
    return unclear === undefined
      ? key.reveal()
      : untested(`The application may store a key other than the one it sent. ${unclear.message}`);
  }

  async register(
    ptnCd: string,
    key: string,
    options: SignUpOptions = {},
  ): Promise<RegistrationOutcome> {
    const input = this.#registrationInput(ptnCd, key, options);
    return this.#send({ operation: 'registration', intent: 'right', ptnCd }, () =>
      orSkip(input.cipher, () => register(this.#transport(options), input)),
    );
  }

  async registerRightly(ptnCd: string, key: string, options: SignUpOptions = {}): Promise<void> {
    const outcome = await this.register(ptnCd, key, options);
    const { registrationCause: diagnosis } = this.record;
    const explained = outcome.ok || diagnosis === undefined ? outcome : { ...outcome, diagnosis };
    expectAccepted(explained, options.what ?? 'a registration');
  }

  async signUp(ptnCd: string, options: SignUpOptions = {}): Promise<string> {
    const key = await this.obtainKey(ptnCd);
    await this.registerRightly(ptnCd, key, options);
    return key;
  }

  async sendMalformed(
    name: MalformedName,
    right: WireRequest,
    fields?: JsonObject,
  ): Promise<CallOutcome<object>> {
    const operation = operationOf(name);
    const read: Parameters<typeof call<object>>[2] =
      operation === 'key-exchange' ? readKeyExchangeResponse : readRegistrationResponse;
    return this.#send({ operation, intent: 'wrong', malformed: name }, async () => {
      const outcome = await call(this.#transport(), malform(name, right, fields), read);
      const { keyPairs, emit } = this.environment;
      const own = { keyPair: await keyPairs('usual'), examinesStrength: false };
      const { key } = await judgeKeyExchange(outcome.exchange, own);
      // It is a secret also where it should have been refused.
      if (key !== undefined) emit({ type: 'secret', value: key });
      return outcome;
    });
  }

  async expectRefused(name: MalformedName, right: WireRequest): Promise<CallOutcome<object>> {
    const outcome = await this.sendMalformed(name, right);
    expectRefused(outcome, name);
    return outcome;
  }

  async askToSignIn(request: WireRequest): Promise<Exchange> {
    const exchange = await this.#transport().send(request);
    const { failure } = exchange;
    const outcome = { exchange, ok: failure === undefined, diagnosis: failure, notes: [] };
    this.keepSignIn({ operation: 'sign-in', intent: 'right', exchange, outcome });
    return exchange;
  }

  keepSignIn(seen: Omit<RecordedExchange, 'check' | 'alone'>): void {
    this.#add({ check: this.check.id, alone: true, ...seen }, this.record.signIns);
  }

  async rightExchange(ptnCd: string): Promise<WireRequest> {
    return keyExchangeRequest(await this.#exchangeInput(ptnCd));
  }

  rightRegistration(ptnCd: string, key: string, userInfo?: string): WireRequest {
    const input = this.#registrationInput(ptnCd, key, { userInfo });
    return orSkip(input.cipher, () => registrationRequest(input));
  }

  get marked(): Transport {
    return this.#transport();
  }

  newPasscode(): string {
    return Buffer.from(this.randomBytes(18)).toString('base64url');
  }

  async #exchangeInput(ptnCd: string, keyPair?: RsaPrivateKey): Promise<KeyExchangeInput> {
    const { url, environment } = this;
    const { clientId, keyPairs, now } = environment;
    const usual = await keyPairs('usual');
    const pair = keyPair ?? usual;
    const earlierKeyPairs = pair === usual ? [] : [usual];
    const request = { url, clientId, ptnCd, keyPair: pair, earlierKeyPairs, now: now() };
    return { ...request, examinesStrength: false }; // the checks of keys judge it, over several keys
  }

  #registrationInput(ptnCd: string, key: string, options: SignUpOptions): RegistrationInput {
    const { url, randomBytes } = this;
    const { clientId, emit } = this.environment;
    const { userInfo, iv, cipher = this.environment.cipher } = options;
    const superPasscode = Secret.text(options.superPasscode ?? this.newPasscode());
    emit({ type: 'secret', value: superPasscode });
    const user = {
      ptnCd,
      key: Secret.key(key),
      superPasscode,
      userInfo: Secret.optional(userInfo),
    };
    const drawn = iv === undefined ? randomBytes : firstThen(iv, randomBytes);
    return { url, clientId, ...user, cipher, randomBytes: drawn };
  }

  #transport({ alter = (right) => right }: SignUpOptions = {}): Transport {
    const { transport } = this.environment;
    const mark = [checkHeader, this.check.id] as const;
    return {
      send: (request) => {
        const altered = alter(request);
        return transport.send({ ...altered, headers: [...altered.headers, mark] });
      },
      close: () => transport.close(),
    };
  }

  async #send<O extends CallOutcome<object>>(
    seen: Omit<RecordedExchange, 'check' | 'exchange' | 'outcome' | 'alone'>,
    send: () => Promise<O>,
  ): Promise<O> {
    const { value: outcome, alone } = await this.record.watch(send);
    const recorded = { check: this.check.id, exchange: outcome.exchange, outcome, alone, ...seen };
    this.#add(recorded, this.record.exchanges);
    return outcome;
  }

  #add(recorded: RecordedExchange, all: RecordedExchange[]): void {
    this.sent.push(recorded);
    all.push(recorded);
    this.environment.emit({ type: 'exchange', recorded });
  }
}

/** The IV, which is the first that encryption draws, and then random bytes. */
function firstThen(iv: Uint8Array, randomBytes: RandomBytes): RandomBytes {
  let isDrawn = false;
  return (size) => {
    if (isDrawn) return randomBytes(size);
    isDrawn = true;
    return iv;
  };
}

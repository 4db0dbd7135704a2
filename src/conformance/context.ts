import type { RandomBytes } from '../bytes.ts';
import { type CallOutcome, call } from '../client/call.ts';
import {
  exchangeKey,
  type KeyExchangeInput,
  type KeyExchangeOutcome,
  keyExchangeRequest,
  type RegistrationInput,
  type RegistrationOutcome,
  register,
  registrationRequest,
} from '../client/callbacks.ts';
import type { Exchange, WireRequest } from '../client/exchange.ts';
import type { Transport } from '../client/transport.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { AnswerReading } from '../protocol/answer.ts';
import { readKeyExchangeAnswer } from '../protocol/key-exchange.ts';
import { readRegistrationAnswer } from '../protocol/registration.ts';
import type { Check } from './check.ts';
import { orSkip } from './cipher-fit.ts';
import type { MalformedRequest } from './malformed.ts';
import type { RecordedExchange, RunRecord } from './record.ts';
import { seededBytes } from './seeded-bytes.ts';
import { checkHeader, type RequestOptions, type RunWorld } from './world.ts';

/** What one check sends with: its users, its randomness, and the two callbacks, all recorded. */
export class CheckContext {
  readonly check: Check;
  /** As many user codes as the check asked for. */
  readonly users: readonly string[];
  readonly world: RunWorld;
  /** Follows from the seed of the run and the id of the check. */
  readonly randomBytes: RandomBytes;
  readonly sent: RecordedExchange[] = [];

  constructor(check: Check, users: readonly string[], world: RunWorld) {
    this.check = check;
    this.users = users;
    this.world = world;
    this.randomBytes = seededBytes(`${world.seed}\0${check.id}`);
  }

  get record(): RunRecord {
    return this.world.record;
  }

  /** The first of the check's users. */
  get user(): string {
    return this.users[0] ?? '';
  }

  /** Sends a key exchange and opens what comes back; judges nothing. */
  async exchange(
    ptnCd: string,
    options: RequestOptions & { readonly keyPair?: RsaPrivateKey } = {},
  ): Promise<KeyExchangeOutcome> {
    const input = await this.#exchangeInput(ptnCd, options.keyPair);
    const { record, emit } = this.world;
    record.addUser(ptnCd);
    const { value: outcome, alone } = await record.watch(() =>
      exchangeKey(this.#transport(options), input),
    );
    if (outcome.key !== undefined) {
      record.keys.push({ ptnCd, key: outcome.key.reveal() });
      emit({ type: 'secret', value: outcome.key });
    }
    this.#keep({ operation: 'key-exchange', intent: 'right', ptnCd, outcome, alone });
    return outcome;
  }

  /** Sends a registration; judges nothing. Skips the check where the key doesn't go with the cipher. */
  async register(
    ptnCd: string,
    key: string,
    options: RequestOptions & { readonly userInfo?: string; readonly superPasscode?: string } = {},
  ): Promise<RegistrationOutcome> {
    const input = this.#registrationInput(ptnCd, key, options.userInfo, options.superPasscode);
    const { value: outcome, alone } = await this.record.watch(() =>
      orSkip(input.cipher, () => register(this.#transport(options), input)),
    );
    this.#keep({ operation: 'registration', intent: 'right', ptnCd, outcome, alone });
    return outcome;
  }

  /** Sends a request that is wrong on purpose. */
  async sendMalformed(malformed: MalformedRequest): Promise<CallOutcome<object>> {
    const { name, operation, request } = malformed;
    const read: Parameters<typeof call<object>>[2] =
      operation === 'key-exchange' ? readKeyExchangeAnswer : readRegistrationAnswer;
    const { value: outcome, alone } = await this.record.watch(() =>
      call(this.#transport({}), request, read),
    );
    this.#keep({ operation, intent: 'wrong', malformed: name, outcome, alone });
    return outcome;
  }

  /** Sends a request of the service's side of the interface; judges nothing. */
  async send<T extends object>(
    request: WireRequest,
    read: (body: Uint8Array) => AnswerReading<T>,
    seen: Pick<RecordedExchange, 'operation' | 'intent' | 'malformed'>,
  ): Promise<CallOutcome<T>> {
    const { value: outcome, alone } = await this.record.watch(() =>
      call(this.#transport({}), request, read),
    );
    this.#keep({ ...seen, outcome, alone });
    return outcome;
  }

  /** Sends a request that is no part of the interface: the one that has a user signed in. */
  async askToSignIn(request: WireRequest): Promise<Exchange> {
    const exchange = await this.#transport({}).send(request);
    const { failure } = exchange;
    const outcome = { exchange, ok: failure === undefined, diagnosis: failure, notes: [] };
    this.keepSignIn({ operation: 'sign-in', intent: 'right', exchange, outcome });
    return exchange;
  }

  /** Keeps an exchange of a sign-in, apart from the callbacks, which other checks look at. */
  keepSignIn(seen: Omit<RecordedExchange, 'check' | 'alone'>): void {
    const recorded = { check: this.check.id, alone: true, ...seen };
    this.sent.push(recorded);
    this.record.signIns.push(recorded);
    this.world.emit({ type: 'exchange', recorded });
  }

  /** A right key exchange, to be spoilt. */
  async rightExchange(ptnCd: string): Promise<WireRequest> {
    return keyExchangeRequest(await this.#exchangeInput(ptnCd));
  }

  /** A right registration, to be spoilt; it carries `userInfo` as ubifill if that is given. */
  rightRegistration(ptnCd: string, key: string, userInfo?: string): WireRequest {
    const input = this.#registrationInput(ptnCd, key, userInfo);
    return orSkip(input.cipher, () => registrationRequest(input));
  }

  async #exchangeInput(ptnCd: string, keyPair?: RsaPrivateKey): Promise<KeyExchangeInput> {
    const { url, clientId, keyPairs, now } = this.world;
    const usual = await keyPairs.usual();
    const pair = keyPair ?? usual;
    const earlierKeyPairs = pair === usual ? [] : [usual];
    return { url, clientId, ptnCd, keyPair: pair, earlierKeyPairs, now: now() };
  }

  /** A passcode as the service might make it. */
  newPasscode(): string {
    return Buffer.from(this.randomBytes(18)).toString('base64url');
  }

  #registrationInput(
    ptnCd: string,
    key: string,
    userInfo?: string,
    passcode: string = this.newPasscode(),
  ): RegistrationInput {
    const { url, clientId, cipher, emit } = this.world;
    const { randomBytes } = this;
    const superPasscode = Secret.text(passcode);
    emit({ type: 'secret', value: superPasscode });
    const said = { superPasscode, userInfo: Secret.optional(userInfo) };
    const user = { ptnCd, key: Secret.key(key), ...said };
    return { url, clientId, ...user, cipher, randomBytes };
  }

  #transport({ alter = (right) => right }: RequestOptions): Transport {
    const { transport } = this.world;
    const mark = [checkHeader, this.check.id] as const;
    return {
      send: (request) => {
        const altered = alter(request);
        return transport.send({ ...altered, headers: [...altered.headers, mark] });
      },
      close: () => transport.close(),
    };
  }

  #keep(seen: Omit<RecordedExchange, 'check' | 'exchange'>): void {
    const recorded = { check: this.check.id, exchange: seen.outcome.exchange, ...seen };
    this.sent.push(recorded);
    this.record.exchanges.push(recorded);
    this.world.emit({ type: 'exchange', recorded });
  }
}

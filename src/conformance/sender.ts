import type { RandomBytes } from '../bytes.ts';
import { type CallOutcome, call } from '../client/call.ts';
import type { Transport } from '../client/exchange.ts';
import {
  exchangeKey,
  judgeKeyExchange,
  keyExchangeRequest,
  type RegistrationInput,
  register,
  registrationRequest,
} from '../client/signup.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { operations } from '../protocol/operations.ts';
import type { Check } from './check.ts';
import {
  type CheckContext,
  checkHeader,
  type RunEnvironment,
  type SignUpOptions,
} from './context.ts';
import { expectAccepted, expectRefused, fail, orSkip, untested } from './expect.ts';
import { isAmbiguousForm, isWrapCode } from './keys.ts';
import { malform, operationOf } from './malformed.ts';
import type { RecordedExchange } from './result.ts';
import { seededBytes } from './test-data.ts';

/** What a check sends with, whose requests are recorded. */
export function createContext(check: Check, users: readonly string[], environment: RunEnvironment) {
  const { clientId, keyPairs, record, emit, now } = environment;
  const randomBytes = seededBytes(`${environment.seed}\0${check.id}`);
  const sent: RecordedExchange[] = [];

  const endpoint = (): URL => {
    if (environment.url === undefined) throw new TypeError('a check of the callback needs its URL');
    return environment.url;
  };

  const marked = ({ alter = (right) => right }: SignUpOptions = {}): Transport => ({
    send: (request) => {
      const altered = alter(request);
      const headers = [...altered.headers, [checkHeader, check.id] as const];
      return environment.transport.send({ ...altered, headers });
    },
    close: () => environment.transport.close(),
  });

  const keep = (recorded: RecordedExchange, all: RecordedExchange[]): void => {
    sent.push(recorded);
    all.push(recorded);
    emit({ type: 'exchange', recorded });
  };

  const send = async <O extends CallOutcome<object>>(
    seen: Omit<RecordedExchange, 'check' | 'exchange' | 'outcome' | 'alone'>,
    perform: () => Promise<O>,
  ): Promise<O> => {
    const { value: outcome, alone } = await record.watch(perform);
    const { exchange } = outcome;
    keep({ check: check.id, exchange, outcome, alone, ...seen }, record.exchanges);
    return outcome;
  };

  const exchangeInput = async (ptnCd: string, keyPair?: RsaPrivateKey) => {
    const usual = await keyPairs('usual');
    const pair = keyPair ?? usual;
    const earlierKeyPairs = pair === usual ? [] : [usual];
    const request = { url: endpoint(), clientId, ptnCd, keyPair: pair, earlierKeyPairs };
    return { ...request, now: now(), examinesStrength: false }; // the checks of keys judge it, over several keys
  };

  const registrationInput = (
    ptnCd: string,
    key: string,
    { userInfo, iv, cipher = environment.cipher, ...options }: SignUpOptions,
  ): RegistrationInput => {
    const superPasscode = Secret.text(options.superPasscode ?? context.newPasscode());
    emit({ type: 'secret', value: superPasscode });
    return {
      url: endpoint(),
      clientId,
      ptnCd,
      key: Secret.key(key),
      superPasscode,
      userInfo: Secret.optional(userInfo),
      cipher,
      randomBytes: iv === undefined ? randomBytes : firstThen(iv, randomBytes),
    };
  };

  const context: CheckContext = {
    check,
    users,
    environment,
    randomBytes,
    sent,
    record,
    user: users[0] ?? '',
    get url() {
      return endpoint();
    },
    marked: marked(),

    hasPassed: (id) => environment.results.get(id)?.status === 'passed',

    exchange: async (ptnCd, options = {}) => {
      const input = await exchangeInput(ptnCd, options.keyPair);
      record.users.add(ptnCd);
      return send({ operation: 'key-exchange', intent: 'right', ptnCd }, async () => {
        const outcome = await exchangeKey(marked(options), input);
        record.keyExchanges.push({ ptnCd, outcome });
        if (outcome.key !== undefined) emit({ type: 'secret', value: outcome.key });
        return outcome;
      });
    },

    obtainKey: async (ptnCd, options) =>
      context.keyIn(await context.acceptedExchange(ptnCd, options)),

    acceptedExchange: async (ptnCd, options = {}) => {
      const outcome = await context.exchange(ptnCd, options);
      expectAccepted(outcome, options.what ?? 'a key exchange');
      return outcome;
    },

    keyIn: ({ key, diagnoses, diagnosis: first, result, exchange }) => {
      // What is wrong with an accepted exchange: its response, and how the key is encrypted.
      const ofWrap = diagnoses.filter(({ code }) => isWrapCode(code));
      const faults = result === undefined && first ? [first, ...ofWrap] : ofWrap;
      const diagnosis = faults.find(({ code }) => !record.reported.has(code));
      if (diagnosis !== undefined) {
        const expected = 'a key that is wrapped as earlier in this run';
        fail({ expected, observed: diagnosis.code, diagnosis, evidence: exchange });
      }
      if (key === undefined) return untested('No per-user key can be read from enc_partner_key.');
      const unclear = diagnoses.find(({ code }) => isAmbiguousForm(code));
      return unclear === undefined
        ? key.reveal()
        : untested(
            `The application may store a key other than the one it sent. ${unclear.message}`,
          );
    },

    register: async (ptnCd, key, options = {}) => {
      const input = registrationInput(ptnCd, key, options);
      return send({ operation: 'registration', intent: 'right', ptnCd }, () =>
        orSkip(input.cipher, () => register(marked(options), input)),
      );
    },

    registerRightly: async (ptnCd, key, options = {}) => {
      const outcome = await context.register(ptnCd, key, options);
      const { registrationCause: diagnosis } = record;
      const explained = outcome.ok || diagnosis === undefined ? outcome : { ...outcome, diagnosis };
      expectAccepted(explained, options.what ?? 'a registration');
    },

    signUp: async (ptnCd, options) => {
      const key = await context.obtainKey(ptnCd);
      await context.registerRightly(ptnCd, key, options);
      return key;
    },

    sendMalformed: async (name, right, fields) => {
      const operation = operationOf(name);
      const read: Parameters<typeof call<object>>[2] = operations[operation].readResponse;
      return send({ operation, intent: 'wrong', malformed: name }, async () => {
        const outcome = await call(context.marked, malform(name, right, fields), read);
        const own = { keyPair: await keyPairs('usual'), examinesStrength: false };
        const { key } = await judgeKeyExchange(outcome.exchange, own);
        // It is a secret also where it should have been refused.
        if (key !== undefined) emit({ type: 'secret', value: key });
        return outcome;
      });
    },

    expectRefused: async (name, right) => {
      const outcome = await context.sendMalformed(name, right);
      expectRefused(outcome, name);
      return outcome;
    },

    keepSignIn: (seen) => keep({ check: check.id, alone: true, ...seen }, record.signIns),

    rightExchange: async (ptnCd) => keyExchangeRequest(await exchangeInput(ptnCd)),

    rightRegistration: (ptnCd, key, userInfo) => {
      const input = registrationInput(ptnCd, key, { userInfo });
      return orSkip(input.cipher, () => registrationRequest(input));
    },

    newPasscode: () => Buffer.from(randomBytes(18)).toString('base64url'),
  };
  return context;
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

import type { RandomBytes } from '../bytes.ts';
import { type Cipher, formatCipher } from '../crypto/cipher-notation.ts';
import {
  acceptedCiphers,
  judgeTrials,
  type ProbeTrial,
  type ProbeVerdict,
  type TrialSubject,
} from '../diagnosis/cipher-probe.ts';
import { neighbouringCiphers } from '../diagnosis/likely-ciphers.ts';
import { connectionCodes, type Diagnosis } from '../errors.ts';
import { encodeRegistrationRequest, readRegistrationAnswer } from '../protocol/registration.ts';
import { call, toWireRequest } from './call.ts';
import { exchangeKey, type KeyExchangeInput } from './callbacks.ts';
import {
  type ProbeContents,
  type ProbePayloads,
  rightPayloads,
  spoiltPasscode,
  tooShortPasscode,
  type UndecryptablePasscode,
  unreadablePasscode,
} from './probe-payloads.ts';
import type { Transport } from './transport.ts';

/** What a probe needs. */
export interface CipherProbeInput extends Omit<KeyExchangeInput, 'ptnCd' | 'earlierKeys'> {
  /** The ciphers to try, the likeliest first. */
  readonly ciphers: readonly Cipher[];
  /** At most so many of them are tried. */
  readonly limit: number;
  /** The user information of the test users; none is sent if undefined. */
  readonly userInfo?: string;
  /** The user code of the next test user. */
  readonly nextUserCode: () => string;
  readonly randomBytes: RandomBytes;
  readonly onProgress?: (tried: number) => void;
}

/** How a probe ended. */
export interface CipherProbeOutcome extends ProbeVerdict {
  /** Every registration that was sent, in its order. */
  readonly trials: readonly ProbeTrial[];
  /** How many user codes were used. */
  readonly testUsers: number;
}

/** Once a cipher is accepted, so many have to have been tried for the refusals to say something. */
const enoughTried = 32;

/** So many ciphers are looked at closely; an application that takes more doesn't tell them apart. */
const mostCompared = 6;

/** So many connections in a row that fail mean that the application is gone, not that it refuses. */
const mostCuts = 3;

/**
 * Finds the cipher that an application decrypts with, by signing a test user up with each likely one.
 * What is accepted is confirmed, compared with the ciphers that differ in one part, and set against
 * payloads that can't be decrypted, which shows an application that accepts everything. Never rejects
 * for the peer's faults.
 */
export async function probeCipher(
  transport: Transport,
  input: CipherProbeInput,
): Promise<CipherProbeOutcome> {
  const probe = new Probe(transport, input);
  await probe.tryLikely({ userInfo: input.userInfo });
  const withoutUserInfo = input.userInfo !== undefined && probe.accepted.length === 0;
  if (withoutUserInfo) {
    probe.startOver();
    await probe.tryLikely({ isLong: true });
  }
  await probe.compare(withoutUserInfo ? undefined : input.userInfo);
  const { trials, refusedTrials, testUsers, stopped } = probe;
  const verdict = judgeTrials(trials);
  const notes = withoutUserInfo && verdict.accepted.length > 0 ? [noUserInfo] : [];
  return {
    ...verdict,
    notes: [...verdict.notes, ...notes],
    ...(stopped && { cipher: undefined, diagnosis: stopped }),
    trials: [...refusedTrials, ...trials],
    testUsers,
  };
}

const noUserInfo =
  'The application accepted nothing with the user information of the test users, and something without: it expects other user information.';

/** A test user whose key was exchanged and who is not registered yet. */
interface TestUser {
  readonly ptnCd: string;
  readonly key: string;
}

/** The registrations of one probe; once stopped, nothing more is sent. */
class Probe {
  /** Those that are judged. */
  trials: ProbeTrial[] = [];
  /** Those before, of which none was accepted. */
  refusedTrials: readonly ProbeTrial[] = [];
  testUsers = 0;
  /** Why the probe could not go on. */
  stopped: Diagnosis | undefined;
  readonly #transport: Transport;
  readonly #input: CipherProbeInput;
  #user: TestUser | undefined;
  #cuts = 0;

  constructor(transport: Transport, input: CipherProbeInput) {
    this.#transport = transport;
    this.#input = input;
  }

  get accepted(): readonly Cipher[] {
    return acceptedCiphers(this.trials);
  }

  /** Goes on with another kind of registration, since every one of this kind was refused. */
  startOver(): void {
    this.refusedTrials = this.trials;
    this.trials = [];
  }

  /**
   * One right registration for each likely cipher, until there are enough. What is accepted is tried
   * again at once, with a passcode of the other length: with a wrong cipher a padding is right one
   * time in 256.
   */
  async tryLikely({ userInfo, isLong = false }: ProbeContents): Promise<void> {
    const { ciphers, limit, onProgress } = this.#input;
    let tried = 0;
    let isConfirmed = false;
    for (const cipher of ciphers) {
      const isEnough = tried >= enoughTried && isConfirmed;
      if (this.stopped !== undefined || tried >= limit || isEnough) return;
      const accepted = await this.#registerRightly(cipher, { userInfo, isLong });
      if (accepted !== undefined) tried += 1;
      if (accepted) {
        const again = await this.#registerRightly(cipher, { userInfo, isLong: !isLong });
        isConfirmed ||= again === true;
      }
      onProgress?.(this.testUsers);
    }
  }

  /** Looks closely at what was accepted: at the ciphers next to it, and what can't be decrypted. */
  async compare(userInfo: string | undefined): Promise<void> {
    if (this.accepted.length <= mostCompared) {
      for (const cipher of this.accepted) await this.#compareWithNeighbours(cipher, userInfo);
    }
    const { accepted } = this;
    for (const cipher of accepted.slice(0, mostCompared)) {
      const { randomBytes } = this.#input;
      const spoil = (key: string) => spoiltPasscode(key, cipher, randomBytes);
      await this.#registerWrongly(spoil, cipher, userInfo);
    }
    for (const passcode of [unreadablePasscode, tooShortPasscode]) {
      const [cipher] = accepted;
      if (cipher) await this.#registerWrongly(() => passcode, cipher, userInfo);
    }
  }

  async #compareWithNeighbours(cipher: Cipher, userInfo: string | undefined): Promise<void> {
    for (const other of neighbouringCiphers(cipher)) {
      if (!this.#isTried(other)) await this.#registerRightly(other, { userInfo });
    }
  }

  #isTried(cipher: Cipher): boolean {
    const notation = formatCipher(cipher);
    return this.trials.some(
      (trial) => trial.kind === 'right' && formatCipher(trial.cipher) === notation,
    );
  }

  /** Whether it was accepted; undefined where nothing was sent, since the key doesn't go with the cipher. */
  async #registerRightly(cipher: Cipher, contents: ProbeContents): Promise<boolean | undefined> {
    const user = await this.#nextUser();
    const { randomBytes } = this.#input;
    const payloads = user && rightPayloads(user.key, cipher, contents, randomBytes);
    if (user === undefined || payloads === undefined) return undefined;
    return this.#register(user, payloads, { kind: 'right', cipher });
  }

  /** The passcode alone is wrong: the user information is right under a cipher that was accepted. */
  async #registerWrongly(
    spoil: (key: string) => UndecryptablePasscode | undefined,
    cipher: Cipher,
    userInfo: string | undefined,
  ): Promise<void> {
    const user = await this.#nextUser();
    const passcode = user && spoil(user.key);
    if (user === undefined || passcode === undefined) return;
    const { title, payload } = passcode;
    const { randomBytes } = this.#input;
    const [, ...rest] = rightPayloads(user.key, cipher, { userInfo }, randomBytes) ?? [];
    await this.#register(user, [{ payload }, ...rest], { kind: 'undecryptable', title });
  }

  async #register(
    { ptnCd, key }: TestUser,
    payloads: ProbePayloads,
    about: TrialSubject,
  ): Promise<boolean> {
    this.#user = undefined;
    const [{ payload: partnerSp }, userInfo] = payloads;
    const { url, clientId } = this.#input;
    const body = encodeRegistrationRequest({
      clientId,
      ptnCd,
      partnerSp,
      ubifill: userInfo?.payload,
    });
    const outcome = await call(this.#transport, toWireRequest(url, body), readRegistrationAnswer);
    const { ok, diagnosis } = outcome;
    this.trials.push({ ...about, key, payloads, accepted: ok, refusal: diagnosis });
    const isCut = connectionCodes.some((code) => code === diagnosis?.code);
    this.#cuts = isCut ? this.#cuts + 1 : 0;
    if (this.#cuts >= mostCuts) this.stopped = diagnosis;
    return ok;
  }

  /** A user with an exchanged key: each is registered once. */
  async #nextUser(): Promise<TestUser | undefined> {
    if (this.stopped !== undefined) return undefined;
    this.#user ??= await this.#exchangeKey();
    return this.#user;
  }

  async #exchangeKey(): Promise<TestUser | undefined> {
    const ptnCd = this.#input.nextUserCode();
    this.testUsers += 1;
    const { ok, key, diagnosis } = await exchangeKey(this.#transport, { ...this.#input, ptnCd });
    if (ok && key !== undefined) return { ptnCd, key: key.reveal() };
    this.stopped = diagnosis;
    return undefined;
  }
}

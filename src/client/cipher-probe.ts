import type { RandomBytes } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { neighbouringCiphers } from '../diagnosis/cipher-priors.ts';
import {
  acceptedCiphers,
  couldExplain,
  enoughTried,
  isBorneOut,
  judgeTrials,
  type ProbeTrial,
  type ProbeVerdict,
  readsExactly,
  type TrialSubject,
} from '../diagnosis/cipher-probe.ts';
import { type KeyForm, keyForms } from '../diagnosis/payload.ts';
import { type Diagnosis, isConnectionCode } from '../errors.ts';
import { encodeRegistrationRequest, readRegistrationResponse } from '../protocol/callbacks.ts';
import { call, toWireRequest } from './call.ts';
import type { Transport } from './exchange.ts';
import {
  type ProbeContents,
  type ProbePayloads,
  rightPayloads,
  tooShortPasscode,
  type UndecryptablePasscode,
  undecryptablePasscode,
  unreadablePasscode,
} from './probe-payloads.ts';
import { exchangeKey, type KeyExchangeInput } from './signup.ts';

export interface CipherProbeInput extends Omit<KeyExchangeInput, 'ptnCd' | 'earlierKeys'> {
  /** The ciphers to try, the likeliest first. */
  readonly ciphers: readonly Cipher[];
  /** The cipher to weigh against: named first where the application accepts several. */
  readonly configured?: Cipher;
  readonly limit: number;
  /** The user information of the test users; none is sent if undefined. */
  readonly userInfo?: string;
  readonly nextUserCode: () => string;
  readonly randomBytes: RandomBytes;
  readonly onProgress?: (tried: number) => void;
}

export interface CipherProbeOutcome extends ProbeVerdict {
  /** Every registration that was sent, in its order. */
  readonly trials: readonly ProbeTrial[];
  /** How many user codes were used. */
  readonly testUsers: number;
  /** How many ciphers the limit left out, where it ended the search. */
  readonly untried: number;
}

/** The most ciphers that are compared; an application that accepts more doesn't distinguish them. */
const mostCompared = 6;

/** After this number of failed connections in a row the application is gone rather than refusing. */
const mostCuts = 3;

/**
 * Finds the cipher that an application decrypts with, by signing a test user up with each likely one.
 * What is accepted is confirmed, compared with the ciphers that differ in one part, and set against
 * payloads that can't be decrypted, which shows an application that accepts everything. Where nothing
 * is accepted, other forms of the key are tried. Never rejects for the peer's faults.
 */
export async function probeCipher(
  transport: Transport,
  input: CipherProbeInput,
): Promise<CipherProbeOutcome> {
  const probe = new Probe(transport, input);
  await probe.tryLikely({ userInfo: input.userInfo });
  const isRefused = probe.accepted.length === 0 && !probe.usesOtherKey;
  const withoutUserInfo = input.userInfo !== undefined && isRefused;
  if (withoutUserInfo) {
    probe.startOver();
    await probe.tryLikely({ isLong: true });
  }
  await probe.compare(withoutUserInfo ? undefined : input.userInfo);
  const { trials, refusedTrials, testUsers, untried, stopped } = probe;
  const verdict = judgeTrials(trials, input.configured, untried);
  const notes = withoutUserInfo && verdict.accepted.length > 0 ? [noUserInfo] : [];
  return {
    ...verdict,
    notes: [...verdict.notes, ...notes],
    ...(stopped && { cipher: undefined, diagnosis: stopped }),
    trials: [...refusedTrials, ...trials],
    testUsers,
    untried,
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
  untried = 0;
  stopped: Diagnosis | undefined;
  /** The application accepted what is right under another key than the one it returned. */
  usesOtherKey = false;
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
    for (const [index, cipher] of ciphers.entries()) {
      if (tried === enoughTried && this.accepted.length === 0) {
        this.usesOtherKey = await this.#tryOtherKeys({ userInfo, isLong });
      }
      const isEnough = this.usesOtherKey || (tried >= enoughTried && isConfirmed);
      if (this.stopped !== undefined || isEnough) return;
      this.untried = tried < limit ? 0 : ciphers.length - index;
      if (this.untried > 0) return;
      const accepted = await this.#registerRightly(cipher, { userInfo, isLong });
      if (accepted !== undefined) tried += 1;
      if (accepted) {
        const again = await this.#registerRightly(cipher, { userInfo, isLong: !isLong });
        isConfirmed ||= again === true;
      }
      onProgress?.(this.testUsers);
    }
  }

  /**
   * Right registrations under what the application may have stored instead of the key; whether one
   * was accepted, twice.
   */
  async #tryOtherKeys(contents: ProbeContents): Promise<boolean> {
    const { configured = this.#input.ciphers[0] } = this.#input;
    if (configured === undefined) return false;
    for (const form of [...keyForms, this.#keyOfAnother]) {
      const accepted = await this.#registerUnder(form, configured, contents);
      const again = { ...contents, isLong: contents.isLong !== true };
      if (accepted && (await this.#registerUnder(form, configured, again))) return true;
    }
    return false;
  }

  /** Where an application keeps one key for all, it may be the first. */
  readonly #keyOfAnother: KeyForm = {
    description: 'the key of another user',
    apply: (key) => this.refusedTrials[0]?.key ?? this.trials[0]?.key ?? key,
  };

  /** Whether it was accepted; nothing is sent where the cipher reads the same bytes from both keys. */
  async #registerUnder(
    { apply, description }: KeyForm,
    cipher: Cipher,
    contents: ProbeContents,
  ): Promise<boolean> {
    const user = await this.#nextUser();
    if (user === undefined) return false;
    const { randomBytes } = this.#input;
    const payloads = rightPayloads(apply(user.key), cipher, contents, randomBytes);
    if (payloads === undefined) return false;
    if (readsExactly(cipher, { key: user.key, payloads, accepted: false })) return false;
    return this.#register(user, payloads, { kind: 'other-key', cipher, keyForm: description });
  }

  /** Compares what was accepted with its neighbours, and with what can't be decrypted. */
  async compare(userInfo: string | undefined): Promise<void> {
    const isFew = this.accepted.length <= mostCompared;
    for (const cipher of isFew ? this.accepted : this.#likely) {
      await this.#compareWithNeighbours(cipher, userInfo);
    }
    const compared = [...new Set([...this.#likely, ...this.accepted])].slice(0, mostCompared);
    for (const cipher of compared) {
      const { randomBytes } = this.#input;
      const make = (key: string) => undecryptablePasscode(key, cipher, randomBytes);
      await this.#registerWrongly(make, cipher, userInfo);
    }
    for (const passcode of [unreadablePasscode, tooShortPasscode]) {
      const [cipher] = compared;
      if (cipher) await this.#registerWrongly(() => passcode, cipher, userInfo);
    }
  }

  /** Of those accepted, the ones that account for every response, refusals among them. */
  get #likely(): readonly Cipher[] {
    const { accepted, trials } = this;
    return accepted
      .filter((cipher) => couldExplain(cipher, trials) && isBorneOut(cipher, trials))
      .slice(0, mostCompared);
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
    make: (key: string) => UndecryptablePasscode | undefined,
    cipher: Cipher,
    userInfo: string | undefined,
  ): Promise<void> {
    const user = await this.#nextUser();
    const passcode = user && make(user.key);
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
    const ubifill = userInfo?.payload;
    const body = encodeRegistrationRequest({ clientId, ptnCd, partnerSp, ubifill });
    const outcome = await call(this.#transport, toWireRequest(url, body), readRegistrationResponse);
    const { ok, diagnosis } = outcome;
    this.trials.push({ ...about, key, payloads, accepted: ok, refusal: diagnosis });
    const isCut = isConnectionCode(diagnosis?.code);
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
    // How random the keys are says nothing of the cipher, and costs more than the exchange.
    const input = { ...this.#input, ptnCd, examinesStrength: false };
    const { ok, key, diagnosis } = await exchangeKey(this.#transport, input);
    if (ok && key !== undefined) return { ptnCd, key: key.reveal() };
    this.stopped = diagnosis;
    return undefined;
  }
}

import { encodeUtf8, type RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher, isBlockMode } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { encryptPayload, undecryptablePayload } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
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
  type SentPayload,
  type TrialSubject,
} from '../diagnosis/cipher-probe.ts';
import { type KeyForm, keyForms } from '../diagnosis/payload.ts';
import { type Diagnosis, hasCode, isConnectionCode } from '../errors.ts';
import { encodeRegistrationRequest, readRegistrationResponse } from '../protocol/callbacks.ts';
import { call, toWireRequest } from './call.ts';
import type { Transport } from './exchange.ts';
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
 * Finds the cipher that an application decrypts with, by signing a test user up with each likely one; what is accepted is
 * confirmed, and compared with its neighbours and with what can't be decrypted. Never rejects for the peer's faults.
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

  /** One right registration for each likely cipher. What is accepted is tried again: a padding is right one time in 256. */
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
  async #tryOtherKeys({ userInfo, isLong = false }: ProbeContents): Promise<boolean> {
    const { randomBytes, configured: cipher = this.#input.ciphers[0] } = this.#input;
    if (cipher === undefined) return false;
    // where an application keeps one key for all, it may be the first
    const first = this.refusedTrials[0] ?? this.trials[0];
    const ofAnother = { description: 'the key of another user', apply: () => first?.key ?? '' };
    const accepts = ({ apply, description }: KeyForm, isLong: boolean) =>
      this.#register({ kind: 'other-key', cipher, keyForm: description }, (key) => {
        const payloads = rightPayloads(apply(key), cipher, { userInfo, isLong }, randomBytes);
        if (payloads === undefined) return undefined;
        const isSame = readsExactly(cipher, { key, payloads, accepted: false });
        return isSame ? undefined : payloads;
      });
    for (const form of [...keyForms, ofAnother]) {
      if ((await accepts(form, isLong)) && (await accepts(form, !isLong))) return true;
    }
    return false;
  }

  /** Compares what was accepted with its neighbours, and with what can't be decrypted. */
  async compare(userInfo: string | undefined): Promise<void> {
    const isFew = this.accepted.length <= mostCompared;
    for (const cipher of isFew ? this.accepted : this.#likely) {
      for (const other of neighbouringCiphers(cipher)) {
        if (!this.#isTried(other)) await this.#registerRightly(other, { userInfo });
      }
    }
    const { randomBytes } = this.#input;
    const compared = [...new Set([...this.#likely, ...this.accepted])].slice(0, mostCompared);
    const wrong = compared.map((cipher) => ({
      cipher,
      title: cipher.tag === undefined ? 'an impossible padding' : 'a tag that does not fit',
      makePayload: (key: string) =>
        orUndefined(() => undecryptablePayload(key, cipher, randomBytes)),
    }));
    const unreadable = compared
      .slice(0, 1)
      .flatMap((cipher) =>
        unreadablePasscodes.map(([title, text]) => ({ cipher, title, makePayload: () => text })),
      );
    for (const { cipher, title, makePayload } of [...wrong, ...unreadable]) {
      // the user information is right under a cipher that was accepted
      await this.#register({ kind: 'undecryptable', title }, (key) => {
        const payload = makePayload(key);
        const [, ...rest] = rightPayloads(key, cipher, { userInfo }, randomBytes) ?? [];
        return payload === undefined ? undefined : [{ payload }, ...rest];
      });
    }
  }

  /** Of those accepted, the ones that account for every response, refusals among them. */
  get #likely(): readonly Cipher[] {
    const { accepted, trials } = this;
    return accepted
      .filter((cipher) => couldExplain(cipher, trials) && isBorneOut(cipher, trials))
      .slice(0, mostCompared);
  }

  #isTried(cipher: Cipher): boolean {
    const notation = formatCipher(cipher);
    return this.trials.some(
      (trial) => trial.kind === 'right' && formatCipher(trial.cipher) === notation,
    );
  }

  /** Whether it was accepted; undefined where nothing was sent, since the key doesn't go with the cipher. */
  #registerRightly(cipher: Cipher, contents: ProbeContents): Promise<boolean | undefined> {
    const { randomBytes } = this.#input;
    const make = (key: string) => rightPayloads(key, cipher, contents, randomBytes);
    return this.#register({ kind: 'right', cipher }, make);
  }

  /** Registers the next user; undefined where there is nothing to send for its key. */
  async #register(
    about: TrialSubject,
    make: (key: string) => ProbePayloads | undefined,
  ): Promise<boolean | undefined> {
    const user = await this.#nextUser();
    const payloads = user && make(user.key);
    if (user === undefined || payloads === undefined) return undefined;
    this.#user = undefined;
    const { ptnCd, key } = user;
    const [{ payload: partnerSp }, userInfo] = payloads;
    const { url, clientId } = this.#input;
    const ubifill = userInfo?.payload;
    const body = encodeRegistrationRequest({ clientId, ptnCd, partnerSp, ubifill });
    const outcome = await call(this.#transport, toWireRequest(url, body), readRegistrationResponse);
    const { ok, diagnosis } = outcome;
    this.trials.push({ ...about, key, payloads, accepted: ok, refusal: diagnosis });
    this.#cuts = isConnectionCode(diagnosis?.code) ? this.#cuts + 1 : 0;
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

/** The payloads of a registration: `partner_sp`, and `ubifill` if there is one. */
export type ProbePayloads = readonly [SentPayload, ...SentPayload[]];

/** What the payloads contain. */
export interface ProbeContents {
  /** The user information; left out if undefined. */
  readonly userInfo?: string;
  /** A passcode of more than one block. */
  readonly isLong?: boolean;
}

/** The payloads of a right registration, by which other ciphers show; undefined where the key doesn't go with this one. */
export function rightPayloads(
  key: string,
  cipher: Cipher,
  { userInfo, isLong = false }: ProbeContents,
  randomBytes: RandomBytes,
): ProbePayloads | undefined {
  return orUndefined(() => {
    const passcode = drawPasscode(key, cipher, isLong, randomBytes);
    if (userInfo === undefined) return [passcode];
    const plaintext = encodeUtf8(wholeBlocks(userInfo, cipher));
    return [passcode, { payload: encryptPayload(plaintext, key, cipher, randomBytes), plaintext }];
  });
}

function drawPasscode(
  key: string,
  cipher: Cipher,
  isLong: boolean,
  randomBytes: RandomBytes,
): SentPayload {
  const length = passcodeLength(cipher, isLong);
  const distinguishing = { base64: /[+/]/, base64url: /[-_]/, hex: /^/ }[cipher.encoding];
  // until the text distinguishes the alphabets; half of the shortest ones do
  for (let left = 64; ; left -= 1) {
    const plaintext = encodeUtf8(generatePerUserKey(randomBytes, { length }));
    const payload = encryptPayload(plaintext, key, cipher, randomBytes);
    if (distinguishing.test(payload) || left <= 1) return { payload, plaintext };
  }
}

/**
 * In block modes a passcode fills one block with its padding: with a second one, an application that
 * takes the first for the IV would still find the padding right. A long one fills more: ECB and CBC
 * with a zero IV are the same within the first. So are CTR and CFB, hence stream modes have long ones.
 * Two blocks of 8 bytes would be as long as an IV of 16, with nothing behind it, so there it is three.
 */
function passcodeLength(cipher: Cipher, isLong: boolean): number {
  const { blockBytes, mode } = algorithmOf(cipher);
  if (!isBlockMode(mode)) return 28;
  const blocks = !isLong ? 1 : blockBytes === 16 ? 2 : 3;
  return blocks * blockBytes - (cipher.padding === 'none' ? 0 : blockBytes / 4);
}

/** JSON may end in spaces, so user information can fill its blocks where nothing else does. */
function wholeBlocks(text: string, cipher: Cipher): string {
  const { blockBytes, mode } = algorithmOf(cipher);
  if (!isBlockMode(mode) || cipher.padding !== 'none') return text;
  const rest = encodeUtf8(text).length % blockBytes;
  return rest === 0 ? text : text + ' '.repeat(blockBytes - rest);
}

/**
 * A `partner_sp` that no cipher of the notation can decrypt: a text without a character of Base64 or hexadecimal, so
 * that lenient decoders find nothing in it either, and seven bytes, of which a stream mode with a fixed IV
 * alone can make something.
 */
const unreadablePasscodes = [
  ['a text in no encoding', '!*.!*.!*.!*.!*.!*.!*.!*.'],
  ['seven bytes, shorter than any block, IV or tag', 'AAECAwQFBg=='],
] as const;

function orUndefined<T>(make: () => T | undefined): T | undefined {
  try {
    return make();
  } catch (error) {
    if (hasCode(error, 'usage')) return undefined;
    throw error;
  }
}

import { encodeUtf8, type RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher, formatCipher, isBlockMode } from '../crypto/cipher.ts';
import { encryptPayload, undecryptablePayload } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { likelyCiphers, neighbouringCiphers } from '../diagnosis/cipher-priors.ts';
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
import { operations } from '../protocol/operations.ts';
import { call, toWireRequest } from './call.ts';
import type { KeyExchangeInput } from './signup.ts';
import type { TestUsers } from './test-users.ts';

export interface CipherProbeInput extends Omit<KeyExchangeInput, 'ptnCd' | 'earlierKeys'> {
  /** The configured cipher: tried first, and named first where the application accepts several. */
  readonly cipher: Cipher;
  /** The most ciphers to try. */
  readonly limit: number;
  readonly mostTestUsers?: number;
  /** The user information of the test users; none is sent if undefined. */
  readonly userInfo?: string;
  readonly randomBytes: RandomBytes;
}

export interface CipherProbeOutcome extends ProbeVerdict {
  /** Every registration that was sent, in its order. */
  readonly trials: readonly ProbeTrial[];
  /** How many ciphers were tried. */
  readonly tried: number;
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
  users: TestUsers,
  input: CipherProbeInput,
): Promise<CipherProbeOutcome> {
  const probe = new Probe(users, input);
  const untried = await probe.tryLikely({ isLong: true }, input.limit);
  const { userInfo } = input;
  const isRefused = probe.accepted.length === 0 && !probe.usesOtherKey;
  if (isRefused && userInfo !== undefined) {
    // some applications insist on user information
    probe.refusedTrials.push(...probe.trials.splice(0));
    await probe.tryLikely({ userInfo }, fewest);
  }
  await probe.compare();
  const { trials, refusedTrials, stopped } = probe;
  const isNone = probe.accepted.length === 0 && !probe.usesOtherKey;
  const judged = isNone ? [...refusedTrials, ...trials] : trials;
  const verdict = judgeTrials(judged, input.cipher, untried);
  const isWithout = probe.userInfo === undefined && userInfo !== undefined;
  return {
    ...verdict,
    notes: isWithout ? [...verdict.notes, noUserInfo] : verdict.notes,
    ...(stopped && { cipher: undefined, diagnosis: stopped }),
    trials: [...refusedTrials, ...trials],
    tried: probe.tried,
    untried,
  };
}

/** Ciphers that are tried with user information where none is accepted without. */
const fewest = 8;

const noUserInfo =
  'The application accepted nothing with the user information of the test users, and something without: it expects other user information.';

/** The registrations of one probe; once stopped, nothing more is sent. */
class Probe {
  /** Those that are judged. */
  readonly trials: ProbeTrial[] = [];
  /** Those that were refused for their user information, or for its absence. */
  readonly refusedTrials: ProbeTrial[] = [];
  /** What is sent as user information; undefined once it is refused. */
  userInfo: string | undefined;
  stopped: Diagnosis | undefined;
  /** The application accepted what is right under another key than the one it returned. */
  usesOtherKey = false;
  readonly #users: TestUsers;
  readonly #input: CipherProbeInput;
  readonly #ciphers: readonly Cipher[];
  /** Whose key was exchanged and who is not registered yet. */
  #user: { readonly ptnCd: string; readonly key: string } | undefined;
  #cuts = 0;

  constructor(users: TestUsers, input: CipherProbeInput) {
    this.#users = users;
    this.#input = input;
    this.#ciphers = likelyCiphers(input.cipher);
    this.userInfo = input.userInfo;
  }

  get #isSpent(): boolean {
    const { mostTestUsers = Number.POSITIVE_INFINITY } = this.#input;
    return this.#user === undefined && this.#users.codes.length >= mostTestUsers;
  }

  get accepted(): readonly Cipher[] {
    return acceptedCiphers(this.trials);
  }

  /** How many ciphers were tried. */
  get tried(): number {
    return ciphersIn([...this.refusedTrials, ...this.trials]).size;
  }

  /**
   * One right registration for each likely cipher. What is accepted is tried again: a padding is right one time in 256.
   * Returns how many were left out, where that ended it.
   */
  async tryLikely(contents: ProbeContents, limit: number): Promise<number> {
    const ciphers = this.#ciphers;
    let tried = 0;
    let isConfirmed = false;
    for (const cipher of ciphers) {
      if (tried === enoughTried && this.accepted.length === 0) {
        this.usesOtherKey = await this.#tryOtherKeys(contents);
      }
      const isEnough = this.usesOtherKey || (tried >= enoughTried && isConfirmed);
      if (this.stopped !== undefined || isEnough) return 0;
      if (tried >= limit || this.#isSpent) return ciphers.length - tried;
      const accepted = await this.#registerRightly(cipher, contents);
      if (accepted !== undefined) tried += 1;
      if (accepted) isConfirmed = (await this.#confirm(cipher, contents)) || isConfirmed;
    }
    return 0;
  }

  /** Tries what was accepted with a passcode of another length, and with user information while that is not refused. */
  async #confirm(cipher: Cipher, { isLong = false }: ProbeContents): Promise<boolean> {
    const { userInfo } = this;
    const before = this.trials.length;
    if (await this.#registerRightly(cipher, { userInfo, isLong: !isLong })) return true;
    if (userInfo === undefined || !(await this.#registerRightly(cipher, { isLong: !isLong })))
      return false;
    this.userInfo = undefined;
    this.refusedTrials.push(...this.trials.splice(before, 1));
    return true;
  }

  /**
   * Right registrations under what the application may have stored instead of the key; whether one
   * was accepted, twice.
   */
  async #tryOtherKeys({ userInfo, isLong = false }: ProbeContents): Promise<boolean> {
    const { randomBytes, cipher } = this.#input;
    // where an application keeps one key for all, it may be the first
    const [first] = this.trials;
    const ofAnother: KeyForm = ['the key of another user', () => first?.key ?? ''];
    const accepts = ([keyForm, apply]: KeyForm, isLong: boolean) =>
      this.#register({ kind: 'other-key', cipher, keyForm }, (key) => {
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
  async compare(): Promise<void> {
    const { userInfo } = this;
    const isFew = this.accepted.length <= mostCompared;
    for (const other of (isFew ? this.accepted : this.#likely).flatMap(neighbouringCiphers)) {
      if (!ciphersIn(this.trials).has(formatCipher(other)))
        await this.#registerRightly(other, { userInfo });
    }
    const { randomBytes } = this.#input;
    const compared = [...new Set([...this.#likely, ...this.accepted])].slice(0, mostCompared);
    const register = (
      cipher: Cipher,
      title: string,
      makePayload: (key: string) => string | undefined,
    ) =>
      // the user information is right under a cipher that was accepted
      this.#register({ kind: 'undecryptable', title }, (key) => {
        const payload = makePayload(key);
        const [, ...rest] = rightPayloads(key, cipher, { userInfo }, randomBytes) ?? [];
        return payload === undefined ? undefined : [{ payload }, ...rest];
      });
    for (const cipher of compared) {
      const title = cipher.tag === undefined ? 'an impossible padding' : 'a tag that does not fit';
      await register(cipher, title, (key) =>
        orUndefined(() => undecryptablePayload(key, cipher, randomBytes)),
      );
    }
    for (const cipher of compared.slice(0, 1))
      for (const [title, text] of unreadablePasscodes) await register(cipher, title, () => text);
  }

  /** Of those accepted, the ones that account for every response, refusals among them. */
  get #likely(): readonly Cipher[] {
    const { accepted, trials } = this;
    return accepted
      .filter((cipher) => couldExplain(cipher, trials) && isBorneOut(cipher, trials))
      .slice(0, mostCompared);
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
    const body = operations.registration.encodeRequest({ clientId, ptnCd, partnerSp, ubifill });
    const outcome = await call(
      this.#users.through(),
      toWireRequest(url, body),
      operations.registration.readResponse,
    );
    const { ok, diagnosis } = outcome;
    this.trials.push({ ...about, key, payloads, accepted: ok, refusal: diagnosis });
    this.#cuts = isConnectionCode(diagnosis?.code) ? this.#cuts + 1 : 0;
    if (this.#cuts >= mostCuts) this.stopped = diagnosis;
    return ok;
  }

  /** A user with an exchanged key: each is registered once. */
  async #nextUser() {
    if (this.stopped !== undefined || this.#isSpent) return undefined;
    if (this.#user !== undefined) return this.#user;
    const ptnCd = this.#users.nextCode();
    const { ok, key, diagnosis } = await this.#users.exchangeKey({ ...this.#input, ptnCd });
    if (ok && key !== undefined) this.#user = { ptnCd, key: key.reveal() };
    else this.stopped = diagnosis;
    return this.#user;
  }
}

/** The ciphers with which something right was sent. */
function ciphersIn(trials: readonly ProbeTrial[]): ReadonlySet<string> {
  const right = trials.filter((trial) => trial.kind === 'right');
  return new Set(right.map(({ cipher }) => formatCipher(cipher)));
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
    const plaintext = encodeUtf8(generatePerUserKey(randomBytes, length));
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

/** Undefined for a key that a cipher can't use. */
export function orUndefined<T>(make: () => T | undefined): T | undefined {
  try {
    return make();
  } catch (error) {
    if (hasCode(error, 'usage')) return undefined;
    throw error;
  }
}

import { constantTimeEqual, decodeBase64Lenient, decodeHex, decodeUtf8 } from '../bytes.ts';
import {
  algorithmOf,
  briefCipher,
  type Cipher,
  formatCipher,
  isBlockMode,
  isSalted,
} from '../crypto/cipher.ts';
import {
  decodePayload,
  decryptBytes,
  decryptPadded,
  headerBytes,
  type PayloadFailure,
} from '../crypto/payload-ciphers.ts';
import type { Diagnosis } from '../errors.ts';
import { shellWord } from '../text.ts';
import { storeCalls } from './calls.ts';
import { diagnose } from './catalogue.ts';
import { decryptionCalls } from './decryption-calls.ts';
import { diagnosis } from './diagnosis.ts';
import { isPlausiblePlaintext } from './plausibility.ts';

/**
 * A right registration under a cipher, one that is right under another key than the one exchanged, or
 * one that can't be decrypted.
 */
export type TrialSubject =
  | { readonly kind: 'right'; readonly cipher: Cipher }
  | { readonly kind: 'other-key'; readonly cipher: Cipher; readonly keyForm: string }
  | { readonly kind: 'undecryptable'; readonly title: string };

export type ProbeTrial = Observation & TrialSubject & { readonly refusal?: Diagnosis };

export interface ProbeVerdict {
  /** The cipher that the application decrypts with, the likeliest of those that are alike. */
  readonly cipher?: Cipher;
  /** The ciphers that account for every response; those accepted, where none does. */
  readonly accepted: readonly Cipher[];
  readonly notes: readonly string[];
  readonly diagnosis?: Diagnosis;
}

/** More ciphers than this no application tries in turn. */
const mostInTurn = 4;

/**
 * Which cipher an application decrypts with, by what it accepted and refused: none with the reason,
 * one (or several that read each other's payloads), `never-decrypts` where even the undecryptable
 * was accepted, `accepted-bad-input` where ciphers that exclude each other were. Where several are
 * accepted, `configured` is the first.
 *
 * @param untried how many ciphers of the notation a limit left out
 */
export function judgeTrials(
  trials: readonly ProbeTrial[],
  configured?: Cipher,
  untried = 0,
): ProbeVerdict {
  const set = configured && formatCipher(configured);
  const rank = (cipher: Cipher) => (formatCipher(cipher) === set ? 0 : 1);
  const accepted = acceptedCiphers(trials).toSorted((left, right) => rank(left) - rank(right));
  const undecryptable = trials.filter((trial) => trial.kind === 'undecryptable');
  if (accepted.length === 0) {
    const found = diagnoseOtherKey(trials) ?? diagnoseRefusal(trials, configured, untried);
    return { accepted, notes: [], diagnosis: found };
  }
  const under = `The application accepted a partner_sp under each of ${accepted.length === 1 ? 'one cipher' : `${accepted.length} ciphers`}`;
  if (undecryptable.length > 0 && undecryptable.every((trial) => trial.accepted)) {
    const titles = [...new Set(undecryptable.map(({ title }) => title))].join('; ');
    const message = `${under}, and also payloads that no key decrypts: ${titles}.`;
    return { accepted, notes: [], diagnosis: diagnose('never-decrypts', message) };
  }
  const fitting = accepted.filter((cipher) => explainsResponses(cipher, trials));
  const theirs = rightTrials(fitting, trials);
  const isFounded =
    fitting.length === accepted.length || fitting.some((cipher) => isBorneOut(cipher, trials));
  const areAlike = fitting.every((cipher) => theirs.every((trial) => readsAsText(cipher, trial)));
  if (fitting.length > 0 && isFounded && areAlike) {
    // What an application of one that fits reads exactly, it accepts too.
    const isRead = (cipher: Cipher) => {
      const sent = rightTrials([cipher], trials);
      return fitting.some((reader) => sent.every((trial) => readsExactly(reader, trial)));
    };
    const usable = accepted.filter((cipher) => fitting.includes(cipher) || isRead(cipher));
    return { cipher: usable[0], accepted: usable, notes: noteOn(usable, fitting) };
  }
  const isTrying = fitting.length === 0 && accepted.length <= mostInTurn;
  if (isTrying && !undecryptable.some((trial) => trial.accepted)) {
    return { cipher: accepted[0], accepted, notes: [inTurn] };
  }
  const careless = diagnosis(
    'accepted-bad-input',
    `${under} that are mutually exclusive: whatever it decrypts with, it does not check the result.`,
    'Check the decrypted result: first the padding or tag, then that it is UTF-8 text. A mode with neither (CTR, CFB) decrypts anything. To find the cipher, identify a payload that the application encrypted or stored.',
  );
  return { accepted, notes: [], diagnosis: careless };
}

function noteOn(usable: readonly Cipher[], fitting: readonly Cipher[]): readonly string[] {
  if (usable.length === 1) return [];
  if (usable.length === fitting.length) return [alike];
  const paddings = [...new Set(usable.map(({ padding }) => padding))].join(', ');
  return [
    `The application accepts several paddings (${paddings}): it strips as many bytes as the last byte specifies, without checking the others.`,
  ];
}

/** The ciphers whose right registrations were all accepted, in the order in which they were tried. */
export function acceptedCiphers(trials: readonly ProbeTrial[]): readonly Cipher[] {
  const right = trials.filter((trial) => trial.kind === 'right');
  const refused = new Set(
    right.filter(({ accepted }) => !accepted).map(({ cipher }) => formatCipher(cipher)),
  );
  const tried = new Map(right.map(({ cipher }) => [formatCipher(cipher), cipher]));
  return [...tried].flatMap(([notation, cipher]) => (refused.has(notation) ? [] : [cipher]));
}

const alike =
  "The accepted ciphers decrypt the same payload to the same text, so they can't be distinguished from outside; the first is the usual one.";

const inTurn =
  'The accepted ciphers are mutually exclusive, and nothing else was accepted: the application seems to try them one after another.';

function rightTrials(ciphers: readonly Cipher[], trials: readonly ProbeTrial[]) {
  const names = new Set(ciphers.map(formatCipher));
  return trials.filter((trial) => trial.kind === 'right' && names.has(formatCipher(trial.cipher)));
}

/** A key that the application didn't return and decrypts with, each time it was tried. */
function diagnoseOtherKey(trials: readonly ProbeTrial[]): Diagnosis | undefined {
  const withOtherKeys = trials.filter((trial) => trial.kind === 'other-key');
  const isRefused = (form: string) =>
    withOtherKeys.some(({ keyForm, accepted }) => keyForm === form && !accepted);
  const found = withOtherKeys.find(({ keyForm }) => !isRefused(keyForm));
  if (found === undefined) return undefined;
  return {
    code: 'wrong-key',
    confidence: 'certain',
    message: `The application decrypts ${briefCipher(found.cipher)} with a key other than the one that it returned: ${found.keyForm}.`,
    hint: 'Store the key exactly as generated, under the ptn_cd of the request, before encrypting it for the response.',
    calls: storeCalls,
    evidence: { cipher: formatCipher(found.cipher), key_form: found.keyForm },
  };
}

/** After this number of refused ciphers the key may be at fault, and other forms of it are tried. */
export const enoughTried = 32;

/** A cause that every response has in common; where that is a mere refusal, no cipher was right. */
function diagnoseRefusal(
  trials: readonly ProbeTrial[],
  configured: Cipher | undefined,
  untried: number,
): Diagnosis | undefined {
  const refusals = trials.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  const last = refusals.at(-1);
  if (last === undefined) return undefined;
  const isSame = refusals.every(({ code }) => code === last.code);
  if (isSame && last.code !== 'code-not-success') return last;
  const right = trials.filter((trial) => trial.kind === 'right');
  const tried = new Set(right.map(({ cipher }) => formatCipher(cipher)));
  const first = configured === undefined ? '' : `, ${briefCipher(configured)} included`;
  const refused = `The application refused a correct partner_sp under each of ${tried.size} ciphers${first}.`;
  if (untried > 0 || tried.size < enoughTried) {
    const others = `${triedOf(tried.size, untried)}, so the key isn't necessarily at fault.`;
    return diagnosis(
      'cipher-mismatch',
      [refused, ...(untried > 0 ? [others] : []), last.message].join(' '),
      'If the response is about decryption, try more ciphers with --limit, or check in the application which algorithm, key bytes, IV, padding and encoding it decrypts with. If not, it refuses test users for another reason.',
    );
  }
  return {
    code: 'wrong-key',
    confidence: 'likely',
    message: `${refused} It probably decrypts with a key other than the one that it returned. ${last.message}`,
    hint: 'Log the SHA-256 of the key in the key exchange and before decryption: the two must be equal. If they are, the application uses a fixed IV, uses a cipher that the notation does not cover, or refuses test users for another reason.',
    calls: storeCalls,
    ...(configured && { evidence: { cipher: formatCipher(configured) } }),
  };
}

/** "64 of 7,536 ciphers were tried". */
export function triedOf(tried: number, untried: number): string {
  return `${tried} of ${(tried + untried).toLocaleString('en')} ciphers were tried`;
}

/** One encrypted field of a registration, with its plaintext; undefined for a malformed one. */
export interface SentPayload {
  readonly payload: string;
  readonly plaintext?: Uint8Array;
}

export interface Observation {
  readonly key: string;
  /** `partner_sp` first, `ubifill` after it where it was sent. */
  readonly payloads: readonly SentPayload[];
  readonly accepted: boolean;
}

/** What an application of a certain cipher makes of a payload, by how much it takes to notice a fault. */
const impressions = {
  rightText: 0,
  otherCleanText: 1,
  otherUtf8: 2,
  noise: 3,
  /** A ciphertext of no bytes: some libraries decrypt it to nothing, others refuse it. */
  nothing: 4,
  failedCheck: 5,
  /** A text that can't be such a payload by its characters or its length. */
  unusable: 6,
} as const;

type Impression = (typeof impressions)[keyof typeof impressions];

/** How closely an application checks one decrypted field. */
interface Care {
  /** The worst impression that it still accepts. */
  readonly attention: Impression;
  /** Takes a ciphertext of no bytes for an empty text. */
  readonly takesNothing: boolean;
}

const either = [true, false];

const cares: readonly Care[] = ([0, 1, 2, 3] as const).flatMap((attention) =>
  either.map((takesNothing) => ({ attention, takesNothing })),
);

/** `ubifill` need not be decrypted (4.1.2 rule 2). */
const userInfoCares: readonly Care[] = [
  ...cares,
  { attention: impressions.unusable, takesNothing: true },
];

/** How an application's decoder and unpadding treat what is not right. */
interface Reader {
  readonly decodesLeniently: boolean;
  /** Cuts as many bytes off as the last byte says, without checking it; undefined where it refuses. */
  readonly cuts?: ((padded: Uint8Array) => Uint8Array | undefined) | undefined;
}

/** By what is left where the last byte is 0, and where it counts more bytes than there are. */
const unchecked = either.flatMap((keepsAllOfZero) =>
  (['empty', 'from-end', 'refused'] as const).map((over) => (padded: Uint8Array) => {
    const count = padded.at(-1) ?? 0;
    const left = padded.length - count;
    if (count === 0) return keepsAllOfZero ? padded : new Uint8Array(0);
    // a negative end counts from the end again, as in JavaScript's `slice`
    if (left >= 0 || over === 'from-end') return padded.subarray(0, left);
    return over === 'empty' ? new Uint8Array(0) : undefined;
  }),
);

/** Only the padding whose count alone is fixed can have been cut off unchecked. */
function readersOf(cipher: Cipher): readonly Reader[] {
  const isCounted = isBlockMode(algorithmOf(cipher).mode) && cipher.padding === 'iso10126';
  return either.flatMap((decodesLeniently) =>
    [undefined, ...(isCounted ? unchecked : [])].map((cuts) => ({ decodesLeniently, cuts })),
  );
}

/**
 * Whether an application of `cipher` could have accepted and refused just this, whatever its care,
 * decoder and unpadding. Noise whose padding is right by chance doesn't speak against it: every
 * payload is decrypted to see what the application saw.
 */
export function explainsResponses(cipher: Cipher, observations: readonly Observation[]): boolean {
  return readersOf(cipher).some((reader) => {
    const seen = observations.map(({ key, payloads, accepted }) => ({
      accepted,
      fields: payloads.map((sent) => impressionOf(sent, key, cipher, reader)),
    }));
    return cares.some((passcode) =>
      userInfoCares.some((userInfo) =>
        seen.every(({ fields, accepted }) => accepts(fields, passcode, userInfo) === accepted),
      ),
    );
  });
}

/** The same of `cipher`, or of one that differs from it only in cutting its padding off unchecked. */
export function couldExplain(cipher: Cipher, observations: readonly Observation[]): boolean {
  const loose: Cipher = { ...cipher, padding: 'iso10126' };
  const isPadded = isBlockMode(algorithmOf(cipher).mode);
  return (
    explainsResponses(cipher, observations) || (isPadded && explainsResponses(loose, observations))
  );
}

function accepts(fields: readonly Impression[], passcode: Care, userInfo: Care): boolean {
  return fields.every((impression, index) => {
    const { attention, takesNothing } = index === 0 ? passcode : userInfo;
    return impression <= attention || (impression === impressions.nothing && takesNothing);
  });
}

/**
 * Whether something was refused that an application of `cipher` can only refuse by checking what it
 * has decrypted. Without that nothing speaks for a cipher without padding and tag, which decrypts
 * every payload of the right length.
 */
export function isBorneOut(cipher: Cipher, observations: readonly Observation[]): boolean {
  return observations.some(({ key, payloads, accepted }) => {
    if (accepted) return false;
    const worst = Math.max(...payloads.map((sent) => impressionOf(sent, key, cipher, strictly)));
    return worst === impressions.noise || worst === impressions.failedCheck;
  });
}

const strictly: Reader = { decodesLeniently: false };
const leniently: Reader = { decodesLeniently: true };

/** Whether an application of `cipher` gets what was sent from every payload, to the byte. */
export function readsExactly(cipher: Cipher, observation: Observation): boolean {
  return readsAtLeast(cipher, observation, impressions.rightText);
}

/** Whether an application of `cipher` gets a text, rather than noise, from every payload. */
export function readsAsText(cipher: Cipher, observation: Observation): boolean {
  return readsAtLeast(cipher, observation, impressions.otherUtf8);
}

function readsAtLeast(cipher: Cipher, { key, payloads }: Observation, worst: Impression): boolean {
  return payloads.every((sent) => impressionOf(sent, key, cipher, leniently) <= worst);
}

function impressionOf(
  { payload, plaintext }: SentPayload,
  key: string,
  cipher: Cipher,
  { decodesLeniently, cuts }: Reader,
): Impression {
  const bytes = decode(payload, cipher, decodesLeniently);
  if (bytes === undefined) return impressions.unusable;
  const result = (cuts ? decryptPadded : decryptBytes)(bytes, key, cipher);
  if (!result.ok) return impressionOfFailure(result.failure, bytes, cipher);
  const text = cuts ? cuts(result.plaintext) : result.plaintext;
  if (text === undefined) return impressions.failedCheck;
  if (text.length === 0) return impressions.nothing;
  if (plaintext !== undefined && constantTimeEqual(text, plaintext)) return impressions.rightText;
  if (isPlausiblePlaintext(text)) return impressions.otherCleanText;
  return decodeUtf8(text) === undefined ? impressions.noise : impressions.otherUtf8;
}

/** Of bytes that are all IV, without salt and tag, some libraries make an empty text. */
function impressionOfFailure(
  failure: PayloadFailure,
  bytes: Uint8Array,
  cipher: Cipher,
): Impression {
  if (failure === 'bad-padding' || failure === 'bad-tag') return impressions.failedCheck;
  const isHeaderAlone =
    cipher.tag === undefined && !isSalted(cipher.key) && bytes.length === headerBytes(cipher);
  return isHeaderAlone ? impressions.nothing : impressions.unusable;
}

/** Lenient decoders take both alphabets of Base64, and many pass over what is in neither. */
function decode(payload: string, { encoding }: Cipher, leniently: boolean): Uint8Array | undefined {
  if (!leniently) {
    const decoded = decodePayload(payload, encoding);
    return decoded.ok ? decoded.bytes : undefined;
  }
  if (!/[A-Za-z0-9]/.test(payload)) return new Uint8Array(0);
  return encoding === 'hex' ? decodeHex(payload) : decodeBase64Lenient(payload);
}

/** The cipher that authcli encrypts with, and where it comes from, such as "profile default". */
export interface ConfiguredCipher {
  readonly cipher: Cipher;
  readonly origin?: string | undefined;
}

/**
 * Weighs what a probe found against the cipher that is configured: which of the two sides to change
 * only the service's specification says, so both fixes are given, that of the application first.
 *
 * @returns undefined where the application accepts the configured cipher; the probe's own diagnosis
 *   where it found none; else `cipher-mismatch`, with the calls by stack that decrypt the configured
 *   cipher, and `evidence.cipher` (configured) and `evidence.fitting_cipher` (the application's)
 */
export function diagnoseProbedCipher(
  { cipher, accepted, diagnosis }: Pick<ProbeVerdict, 'cipher' | 'accepted' | 'diagnosis'>,
  { cipher: configured, origin }: ConfiguredCipher,
): Diagnosis | undefined {
  if (cipher === undefined) return diagnosis;
  const sent = formatCipher(configured);
  if (accepted.some((other) => formatCipher(other) === sent)) return undefined;
  const [theirs, ours] = [briefCipher(cipher, configured), briefCipher(configured, cipher)];
  const sender = origin === undefined ? 'authcli' : `authcli (${origin})`;
  const decodes = cipher.encoding !== configured.encoding || configured.encoding !== 'base64';
  return {
    code: 'cipher-mismatch',
    confidence: 'certain',
    message: `The application decrypts ${theirs}; ${sender} sends ${ours}.`,
    hint: `If the service specifies ${ours}, change the application to decrypt it. If ${theirs} is right: \`authcli config set cipher ${shellWord(theirs)}\`.`,
    calls: decryptionCalls(configured, { decodes }),
    evidence: { cipher: sent, fitting_cipher: formatCipher(cipher) },
  };
}

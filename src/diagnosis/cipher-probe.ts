import type { Cipher } from '../crypto/cipher.ts';
import { briefCipher, formatCipher } from '../crypto/cipher-notation.ts';
import type { Diagnosis } from '../errors.ts';
import { storeCalls } from './catalogue/calls.ts';
import { diagnose } from './catalogue.ts';
import { diagnosis } from './diagnosis.ts';
import {
  explainsResponses,
  isBorneOut,
  type Observation,
  readsAsText,
  readsExactly,
} from './probe-observations.ts';

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
  const accepted = configuredFirst(acceptedCiphers(trials), configured);
  const undecryptable = trials.filter((trial) => trial.kind === 'undecryptable');
  if (accepted.length === 0) {
    const found = diagnoseOtherKey(trials) ?? diagnoseRefusal(trials, configured, untried);
    return { accepted, notes: [], diagnosis: found };
  }
  if (undecryptable.length > 0 && undecryptable.every((trial) => trial.accepted)) {
    const titles = undecryptable.map(({ title }) => title);
    return { accepted, notes: [], diagnosis: diagnoseAcceptance(accepted, titles) };
  }
  const fitting = accepted.filter((cipher) => explainsResponses(cipher, trials));
  const isFounded =
    fitting.length === accepted.length || fitting.some((cipher) => isBorneOut(cipher, trials));
  if (fitting.length > 0 && isFounded && areAlike(fitting, trials)) {
    const usable = accepted.filter(
      (cipher) => fitting.includes(cipher) || isReadByAny(fitting, cipher, trials),
    );
    return { cipher: usable[0], accepted: usable, notes: noteOn(usable, fitting) };
  }
  const isTrying = fitting.length === 0 && accepted.length <= mostInTurn;
  if (isTrying && !undecryptable.some((trial) => trial.accepted)) {
    return { cipher: accepted[0], accepted, notes: [inTurn] };
  }
  return { accepted, notes: [], diagnosis: diagnoseCarelessness(accepted) };
}

function configuredFirst(
  ciphers: readonly Cipher[],
  configured: Cipher | undefined,
): readonly Cipher[] {
  const first = configured && formatCipher(configured);
  const isFirst = (cipher: Cipher) => formatCipher(cipher) === first;
  return [...ciphers.filter(isFirst), ...ciphers.filter((cipher) => !isFirst(cipher))];
}

/** Whether an application of one of `fitting` reads exactly what was sent under `cipher`. */
function isReadByAny(
  fitting: readonly Cipher[],
  cipher: Cipher,
  trials: readonly ProbeTrial[],
): boolean {
  const theirs = rightTrials([cipher], trials);
  return fitting.some((reader) => theirs.every((trial) => readsExactly(reader, trial)));
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

function areAlike(ciphers: readonly Cipher[], trials: readonly ProbeTrial[]): boolean {
  const theirs = rightTrials(ciphers, trials);
  return ciphers.every((cipher) => theirs.every((trial) => readsAsText(cipher, trial)));
}

function rightTrials(ciphers: readonly Cipher[], trials: readonly ProbeTrial[]) {
  const names = new Set(ciphers.map(formatCipher));
  return trials.filter((trial) => trial.kind === 'right' && names.has(formatCipher(trial.cipher)));
}

function diagnoseAcceptance(accepted: readonly Cipher[], titles: readonly string[]): Diagnosis {
  return diagnose(
    'never-decrypts',
    `The application accepted a partner_sp under each of ${countOf(accepted)}, and also payloads that no key decrypts: ${[...new Set(titles)].join('; ')}.`,
  );
}

function diagnoseCarelessness(accepted: readonly Cipher[]): Diagnosis {
  return diagnosis(
    'accepted-bad-input',
    `The application accepted a partner_sp under each of ${countOf(accepted)} that are mutually exclusive: whatever it decrypts with, it does not check the result.`,
    'Check the decrypted result: first the padding or tag, then that it is UTF-8 text. A mode with neither (CTR, CFB) decrypts anything. To find the cipher, identify a payload that the application encrypted or stored.',
  );
}

function countOf({ length }: readonly Cipher[]): string {
  return length === 1 ? 'one cipher' : `${length} ciphers`;
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
    const others = `${untried} ciphers of the notation were not tried, so the key isn't necessarily at fault.`;
    return diagnosis(
      'cipher-mismatch',
      [refused, ...(untried > 0 ? [others] : []), last.message].join(' '),
      'If the response is about decryption, try more ciphers with --limit, or check in the application which algorithm, key bytes, IV, padding and encoding it decrypts with. If not, it refuses test users for another reason.',
    );
  }
  return {
    code: 'wrong-key',
    message: `${refused} It probably decrypts with a key other than the one that it returned. ${last.message}`,
    hint: 'Log the SHA-256 of the key in the key exchange and before decryption: the two must be equal. If they are, the application uses a fixed IV, uses a cipher that the notation does not cover, or refuses test users for another reason.',
    calls: storeCalls,
    ...(configured && { evidence: { cipher: formatCipher(configured) } }),
  };
}

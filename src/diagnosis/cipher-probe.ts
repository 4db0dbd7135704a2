import { type Cipher, formatCipher } from '../crypto/cipher-notation.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnoseBehaviour } from './behaviour.ts';
import { diagnosis } from './catalogue-entry.ts';
import { explainsAnswers, isBorneOut, type Observation, readsAsText } from './cipher-inference.ts';

/** What a registration of a probe is: a right one under a cipher, or one that can't be decrypted. */
export type TrialSubject =
  | { readonly kind: 'right'; readonly cipher: Cipher }
  | { readonly kind: 'undecryptable'; readonly title: string };

/** One registration of a probe, and why it was refused if it was. */
export type ProbeTrial = Observation & TrialSubject & { readonly refusal?: Diagnosis };

/** What a probe has found out. */
export interface ProbeVerdict {
  /** The cipher that the application decrypts with, the likeliest of those that are alike. */
  readonly cipher?: Cipher;
  /** The ciphers that account for every answer; those accepted, where none does. */
  readonly accepted: readonly Cipher[];
  readonly notes: readonly string[];
  /** Why there is no answer to what was asked. */
  readonly diagnosis?: Diagnosis;
}

/** So few ciphers an application may be made to try in turn. */
const mostInTurn = 4;

/**
 * Which cipher an application decrypts with, by what it accepted and refused.
 *
 * - nothing was accepted: no cipher, with the reason
 * - everything was, what can't be decrypted included: `never-decrypts`
 * - what was accepted is accounted for by one cipher, or by several that read each other's payloads
 * - by several that don't: the application doesn't look at what comes out, `accepted-bad-input`
 */
export function judgeTrials(trials: readonly ProbeTrial[]): ProbeVerdict {
  const accepted = acceptedCiphers(trials);
  const spoilt = trials.filter(({ kind }) => kind === 'undecryptable');
  if (accepted.length === 0) {
    return { accepted, notes: [], diagnosis: diagnoseRefusal(trials) };
  }
  if (spoilt.length > 0 && spoilt.every((trial) => trial.accepted)) {
    return { accepted, notes: [], diagnosis: diagnoseAcceptance(accepted, spoilt) };
  }
  const fitting = accepted.filter((cipher) => explainsAnswers(cipher, trials));
  const [first = accepted[0], ...others] = fitting;
  const isFounded =
    fitting.length === accepted.length || fitting.some((cipher) => isBorneOut(cipher, trials));
  if (fitting.length > 0 && isFounded && areAlike(fitting, trials)) {
    return { cipher: first, accepted: fitting, notes: others.length > 0 ? [alike] : [] };
  }
  const isTrying = fitting.length === 0 && accepted.length <= mostInTurn;
  if (isTrying && !spoilt.some((trial) => trial.accepted)) {
    return { cipher: first, accepted, notes: [inTurn] };
  }
  return { accepted, notes: [], diagnosis: diagnoseCarelessness(accepted) };
}

/** The ciphers whose right registrations were all accepted, in the order in which they were tried. */
export function acceptedCiphers(trials: readonly ProbeTrial[]): readonly Cipher[] {
  const ciphers = new Map<string, Cipher>();
  const refused = new Set<string>();
  for (const trial of trials) {
    if (trial.kind !== 'right') continue;
    const notation = formatCipher(trial.cipher);
    if (trial.accepted) ciphers.set(notation, trial.cipher);
    else refused.add(notation);
  }
  return [...ciphers].filter(([notation]) => !refused.has(notation)).map(([, cipher]) => cipher);
}

const alike =
  'The ciphers accepted read the same text from the same payload, so they can not be told apart from outside; the first is the usual one.';

const inTurn =
  'The ciphers accepted exclude each other, and nothing else was accepted: the application seems to try one after the other.';

/** Whether each cipher gets text from the right registrations of all others. */
function areAlike(ciphers: readonly Cipher[], trials: readonly ProbeTrial[]): boolean {
  const names = new Set(ciphers.map(formatCipher));
  const theirs = trials.filter(
    (trial) => trial.kind === 'right' && names.has(formatCipher(trial.cipher)),
  );
  return ciphers.every((cipher) => theirs.every((trial) => readsAsText(cipher, trial)));
}

function diagnoseAcceptance(accepted: readonly Cipher[], spoilt: readonly ProbeTrial[]): Diagnosis {
  const titles = new Set(
    spoilt.flatMap((trial) => (trial.kind === 'undecryptable' ? [trial.title] : [])),
  );
  return diagnoseBehaviour(
    'never-decrypts',
    `The application accepted a partner_sp under each of ${countOf(accepted)}, and also what no key decrypts: ${[...titles].join('; ')}.`,
  );
}

function diagnoseCarelessness(accepted: readonly Cipher[]): Diagnosis {
  return diagnosis(
    'accepted-bad-input',
    `The application accepted a partner_sp under each of ${countOf(accepted)} that exclude each other: whatever it decrypts with, it does not look at what comes out.`,
    'Check what comes out of the decryption: padding or tag first, then that it is text in UTF-8. A mode without padding and tag (CTR, CFB) decrypts anything. To find the cipher, identify a payload that the application has made or stored.',
  );
}

function countOf({ length }: readonly Cipher[]): string {
  return length === 1 ? 'one cipher' : `${length} ciphers`;
}

/** What every answer had in common is the cause; where that is a mere refusal, no cipher was the right one. */
function diagnoseRefusal(trials: readonly ProbeTrial[]): Diagnosis | undefined {
  const refusals = trials.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  const last = refusals.at(-1);
  if (last === undefined) return undefined;
  const isSame = refusals.every(({ code }) => code === last.code);
  if (isSame && last.code !== 'code-not-success') return last;
  const tried = new Set(
    trials.flatMap((trial) => (trial.kind === 'right' ? [formatCipher(trial.cipher)] : [])),
  );
  return diagnosis(
    'cipher-mismatch',
    `The application refused a partner_sp under each of ${tried.size} ciphers. ${last.message}`,
    'If that message speaks of decryption, try more ciphers, or look up in the application which algorithm, key bytes, IV, padding and encoding it decrypts with. If not, it refuses test users for a reason of its own.',
  );
}

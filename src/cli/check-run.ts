import { encodeHex } from '../bytes.ts';
import { formatAddressOverride } from '../client/addresses.ts';
import type { Transport } from '../client/transport.ts';
import { isKnownFailure, type KnownFailure } from '../conformance/baseline.ts';
import type { Check } from '../conformance/check.ts';
import type { RunEvent } from '../conformance/events.ts';
import { Run, type RunOptions } from '../conformance/runner.ts';
import { inventUsers } from '../conformance/test-users.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { defaultCipher, formatCipher } from '../crypto/cipher-notation.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { tallyText } from '../reports/tally.ts';
import { shellWord } from '../text.ts';
import type { Progress } from './progress.ts';
import type { Session } from './session.ts';
import { dayOf } from './verify-baseline.ts';
import type { CheckRunOptions } from './verify-flags.ts';

/** What a run is made of beside the options. */
export interface RunParts {
  readonly url: URL;
  readonly selected: readonly Check[];
  readonly baseline: readonly KnownFailure[];
  readonly transport: Transport;
  readonly progress: Progress;
}

/** The options of every run, whatever it is about. */
type SharedOptions = CheckRunOptions & { readonly clientId: string; readonly cipher: Cipher };

/** What runs differ in. */
export interface RunSubject extends Pick<RunOptions, 'catalogue' | 'keyPairs'> {
  /** Those who sign up; invented unless told. */
  readonly users?: RunOptions['users'];
  readonly concurrentUsers?: number;
}

/** A run as the options say; what it learns to be secret is hidden from then on. */
export function createCheckRun(
  subject: RunSubject,
  options: SharedOptions,
  parts: RunParts,
  session: Session,
): Run {
  const { context } = session;
  const { clientId, cipher, strict, bail, insecure } = options;
  const { url, transport, selected, baseline } = parts;
  const seed = options.seed ?? encodeHex(context.randomBytes(4));
  const today = dayOf(context.now());
  const counter = new CheckCounter(parts, session);
  return new Run({
    users: inventUsers(seed),
    concurrentUsers: 0,
    ...subject,
    selected,
    transport,
    url,
    clientId,
    cipher,
    seed,
    insecure,
    strict,
    bail,
    now: context.now,
    signal: context.signal,
    isKnown: ({ check }) => isKnownFailure(check, baseline, today),
    emit: (event) => listen(event, counter, session),
  });
}

/** Hides what is secret, and shows how far the run has come. */
function listen(event: RunEvent, counter: CheckCounter, session: Session): void {
  if (event.type === 'secret') session.secrets.add(event.value);
  if (event.type === 'check-ended' && session.global.verbose) {
    const { check, status, durationMs } = event.result;
    session.note(`${check.id} ${status} (${Math.round(durationMs)} ms)`);
  }
  counter.hear(event);
}

/** Shows how many checks of a run are done, at what pace, and which one is under way. */
class CheckCounter {
  readonly #parts: Pick<RunParts, 'url' | 'progress'>;
  readonly #now: () => number;
  #total = 0;
  #done = 0;
  #startedAt = 0;
  #underWay = '';

  constructor(parts: Pick<RunParts, 'url' | 'progress'>, { context }: Session) {
    this.#parts = parts;
    this.#now = context.now;
  }

  /** Takes notice of what happens in the run. */
  hear(event: RunEvent): void {
    if (event.type === 'run-started') this.#start(event.checks.length + event.controls.length);
    if (event.type === 'check-started') this.#underWay = event.check.id;
    if (event.type === 'check-ended') this.#done += 1;
  }

  #start(total: number): void {
    this.#total = total;
    this.#startedAt = this.#now();
    this.#parts.progress.update(() => this.#text());
  }

  #text(): string {
    const elapsedMs = this.#now() - this.#startedAt;
    const tally = tallyText({ unit: 'checks', done: this.#done, total: this.#total, elapsedMs });
    return `${tally}: ${this.#underWay} at ${this.#parts.url.href}`;
  }
}

/** What a repeated run is told: which check, of what, and the flags that belong to the subject alone. */
export interface Repetition {
  readonly command: string;
  readonly id: string | undefined;
  readonly seed: string;
  /** Words in front of those that every run has. */
  readonly target: readonly string[];
  /** Words behind them. */
  readonly more?: readonly string[];
}

/** The command line that runs one check again as in this run, or everything; flags that hold secrets are left out. */
export function repeatLine(
  { command, id, seed, target, more = [] }: Repetition,
  { clientId, cipher, insecure, resolve, unixSocket, strict }: SharedOptions,
): string {
  const notation = formatCipher(cipher);
  const words = [
    `authcli ${command}`,
    ...(id === undefined ? [] : [`--check ${id}`]),
    ...target,
    `--seed ${shellWord(seed)}`,
    ...(clientId === defaultClientId ? [] : [`--client-id ${shellWord(clientId)}`]),
    ...(notation === formatCipher(defaultCipher) ? [] : [`--cipher ${shellWord(notation)}`]),
    ...(insecure ? ['--insecure'] : []),
    ...resolve.map((override) => `--resolve ${shellWord(formatAddressOverride(override))}`),
    ...(unixSocket === undefined ? [] : [`--unix-socket ${shellWord(unixSocket)}`]),
    ...(strict ? ['--strict'] : []),
    ...more,
  ];
  return words.join(' ');
}

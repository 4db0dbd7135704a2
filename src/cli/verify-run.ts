import { encodeHex } from '../bytes.ts';
import type { Transport } from '../client/transport.ts';
import { isKnownFailure, type KnownFailure } from '../conformance/baseline.ts';
import { checks as catalogue } from '../conformance/catalogue.ts';
import type { Check } from '../conformance/check.ts';
import type { RunEvent } from '../conformance/events.ts';
import { createKeyPairs } from '../conformance/key-pairs.ts';
import { generateLargeKeyPair } from '../conformance/large-key-pair.ts';
import { Run } from '../conformance/runner.ts';
import { givenUsers, inventUsers } from '../conformance/test-users.ts';
import { tallyText } from '../reports/tally.ts';
import type { Progress } from './progress.ts';
import type { Session } from './session.ts';
import { dayOf } from './verify-baseline.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** What a run is made of beside the options. */
export interface RunParts {
  readonly url: URL;
  readonly selected: readonly Check[];
  readonly baseline: readonly KnownFailure[];
  readonly transport: Transport;
  readonly progress: Progress;
}

/** A run as the options say; what it learns to be secret is hidden from then on. */
export function createRun(options: VerifyOptions, parts: RunParts, session: Session): Run {
  const { context } = session;
  const { clientId, cipher, userCodes, users, strict, bail, insecure } = options;
  const { url, transport, selected, baseline } = parts;
  const seed = options.seed ?? encodeHex(context.randomBytes(4));
  const today = dayOf(context.now());
  const counter = new CheckCounter(parts, session);
  return new Run({
    catalogue,
    selected,
    transport,
    url,
    clientId,
    cipher,
    seed,
    insecure,
    strict,
    bail,
    keyPairs: createKeyPairs((bits) =>
      bits === 2048 ? context.generateKeyPair(bits) : generateLargeKeyPair(bits),
    ),
    users: userCodes === undefined ? inventUsers(seed) : givenUsers(userCodes),
    concurrentUsers: users,
    now: context.now,
    signal: context.signal,
    isKnown: ({ check }) => isKnownFailure(check, baseline, today),
    emit: (event) => listen(event, counter, session),
  });
}

/** Hides what is secret, and shows how far the run has come. */
export function listen(event: RunEvent, counter: CheckCounter, session: Session): void {
  if (event.type === 'secret') session.secrets.add(event.value);
  if (event.type === 'check-ended' && session.global.verbose) {
    const { check, status, durationMs } = event.result;
    session.note(`${check.id} ${status} (${Math.round(durationMs)} ms)`);
  }
  counter.hear(event);
}

/** Shows how many checks of a run are done, at what pace, and which one is under way. */
export class CheckCounter {
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

import type { Schedule } from './job.ts';

/** Does one sign-up; `intendedAt` is when it should begin, in milliseconds from the start. */
export type Perform = (intendedAt: number) => Promise<void>;

export interface Pacing {
  readonly schedule: Schedule;
  readonly index: number;
  readonly threads: number;
  /** Milliseconds since the start of the run. */
  readonly elapsed: () => number;
  /** Takes the next number of the run, counted over all threads from 0. */
  readonly takeTicket: () => number;
  readonly perform: Perform;
  /** Sign-ups that were due and not begun before the end. */
  readonly giveUp: (count: number) => void;
}

/** Timers tick in milliseconds: only a delay beyond one tick counts as waiting. */
const tickMs = 1;

/** Begins sign-ups on schedule, until it ends or {@link Pacer.stop} is called. */
export class Pacer {
  readonly #pacing: Pacing;
  #stopped = false;
  readonly #wakers = new Set<() => void>();

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /** Resolves when the last sign-up has ended. */
  async run(): Promise<void> {
    const { pace } = this.#pacing.schedule;
    if (pace.model === 'open') return this.#runOpen(pace);
    const { index, threads } = this.#pacing;
    const slots = Array.from({ length: pace.atOnce }, (_, slot) => slot);
    const own = slots.filter((slot) => slot % threads === index);
    await Promise.all(own.map(() => this.#runSlot()));
  }

  stop(): void {
    this.#stopped = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
  }

  async #runSlot(): Promise<void> {
    const { perform, elapsed } = this.#pacing;
    for (let now = elapsed(); !this.#isOver(now); now = elapsed()) await perform(now);
  }

  /** Whether nothing more begins at `now`; otherwise takes a number of the run. */
  #isOver(now: number): boolean {
    const { schedule, takeTicket } = this.#pacing;
    return this.#stopped || now >= schedule.durationMs || takeTicket() >= schedule.signups;
  }

  /** Of several threads each takes every nth time, so that together they follow the whole schedule without messages. */
  async #runOpen({ perSecond, mostAtOnce }: OpenPace): Promise<void> {
    const { index, threads, schedule, elapsed, perform } = this.#pacing;
    const timeOf = (number: number) => ((index + number * threads) * 1000) / perSecond;
    const most = Math.max(1, Math.floor(mostAtOnce / threads));
    const underWay = new Set<Promise<void>>();
    const end = schedule.durationMs;
    for (let number = 0; timeOf(number) < end; number += 1) {
      const due = timeOf(number);
      while (elapsed() < due && !this.#stopped) await this.#sleepUntil(due);
      while (underWay.size >= most && !this.#stopped && elapsed() < end) {
        await this.#sleepUntil(end); // or until one of them has ended
      }
      if (this.#stopped || elapsed() >= end) {
        const over = Math.min(end, elapsed());
        let left = 0;
        while (timeOf(number + left) < over) left += 1;
        this.#pacing.giveUp(left);
        break;
      }
      if (this.#pacing.takeTicket() >= schedule.signups) break;
      const begun = perform(Math.min(elapsed(), due + tickMs));
      underWay.add(begun);
      void begun.finally(() => {
        underWay.delete(begun);
        if (underWay.size === most - 1) this.#wakeAll();
      });
    }
    await Promise.all(underWay);
  }

  /** Waits until `at` milliseconds after the start, or until it is stopped. */
  async #sleepUntil(at: number): Promise<void> {
    const ms = at - this.#pacing.elapsed();
    if (ms <= 0 || this.#stopped) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, 2 ** 31 - 1));
      this.#wakers.add(wake);
    });
  }
}

type OpenPace = Extract<Schedule['pace'], { model: 'open' }>;

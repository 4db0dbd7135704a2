import type { CallOutcome } from '../client/call.ts';
import type { Exchange } from '../client/exchange.ts';

/** Whether a request was right, or spoilt on purpose. */
export type Intent = 'right' | 'wrong';

/** One exchange of the run, with what it was for. */
export interface RecordedExchange {
  /** The id of the check that sent it. */
  readonly check: string;
  readonly operation: 'key-exchange' | 'registration' | 'token' | 'authenticate' | 'sign-in';
  /** Of a request that was received: whether the answer was right, or spoilt on purpose. */
  readonly intent: Intent;
  /** The application sent it, and the emulated service answered. */
  readonly isReceived?: true;
  /** The user it is about, where it names one rightly. */
  readonly ptnCd?: string;
  /** The name of the malformed request that it is, or of the scenario in which it was received. */
  readonly malformed?: string;
  readonly exchange: Exchange;
  /** The answer as it was read; `ok` says nothing about a wrapped key. */
  readonly outcome: CallOutcome<object>;
  /** No other request was under way at the same time. */
  readonly alone: boolean;
}

/** What all checks of a run have seen together. */
export class RunRecord {
  readonly exchanges: RecordedExchange[] = [];
  /** What went to and fro at the sign-ins of the application, which is no callback. */
  readonly signIns: RecordedExchange[] = [];
  /** Plain per-user keys, by the user code they were for, in the order in which they came. */
  readonly keys: { readonly ptnCd: string; readonly key: string }[] = [];
  readonly #users = new Set<string>();
  /**
   * Diagnosis codes that a check of their own has reported: other checks go on with what can be
   * read all the same, so that one mistake is told once.
   */
  readonly reported = new Set<string>();
  readonly #underWay = new Set<{ alone: boolean }>();

  get users(): readonly string[] {
    return [...this.#users];
  }

  addUser(ptnCd: string): void {
    this.#users.add(ptnCd);
  }

  /** The names of the malformed requests that were sent. */
  get malformed(): ReadonlySet<string> {
    return new Set(this.exchanges.flatMap(({ malformed }) => malformed ?? []));
  }

  /** Runs `send`, and says whether it was the only one under way. */
  async watch<T>(send: () => Promise<T>): Promise<{ readonly value: T; readonly alone: boolean }> {
    const mine = { alone: this.#underWay.size === 0 };
    for (const other of this.#underWay) other.alone = false;
    this.#underWay.add(mine);
    try {
      return { value: await send(), alone: mine.alone };
    } finally {
      this.#underWay.delete(mine);
    }
  }
}

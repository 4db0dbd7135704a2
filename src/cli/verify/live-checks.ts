import { hasResponse } from '../../client/exchange.ts';
import type { CheckResult, RunEvent } from '../../conformance/result.ts';
import type { FailureLook } from '../../reports/failure-text.ts';
import type { CheckDocument, VerifyDocument } from '../../reports/verify-document.ts';
import { CheckLines, headLine, summaryLines } from '../../reports/verify-human.ts';
import type { Session } from '../session.ts';

type Known = CheckDocument['known'];

/**
 * Prints the checks of a run as they end. Nothing is printed before the other side has responded at all: of an endpoint
 * that doesn't, the failure alone says enough. Under --quiet, what failed is printed at the end.
 */
export class LiveChecks {
  readonly #target: string;
  readonly #session: Session;
  readonly #knownOf: (result: CheckResult) => Known;
  readonly #printed = new Set<string>();
  #lines: CheckLines | undefined;
  #waiting: string[] = [];
  #hasResponse = false;

  constructor(target: string, session: Session, knownOf: (result: CheckResult) => Known) {
    this.#target = target;
    this.#session = session;
    this.#knownOf = knownOf;
  }

  handle(event: RunEvent): void {
    const { detail, style } = this.#session;
    if (event.type === 'run-started' && detail !== 'quiet') {
      this.#lines = new CheckLines(event.checks, style);
      this.#waiting = [headLine(this.#target, style), ''];
    }
    if (event.type === 'exchange') this.#hasResponse ||= hasResponse(event.recorded.exchange);
    if (event.type === 'check-ended' && !event.isControl) this.#add(event.result);
    if (this.#hasResponse) this.#flush();
  }

  /** What has not been printed yet of the whole run; of an interrupted one only the summary. */
  rest(document: VerifyDocument, look: FailureLook): readonly string[] {
    const { unreachable, interrupted, checks } = document;
    if (unreachable !== undefined) return [];
    const left = interrupted ? [] : checks.filter(({ id }) => !this.#printed.has(id));
    const lines = left.flatMap((check) => this.#lines?.of(check) ?? []);
    return [...this.#waiting.splice(0), ...lines, ...summaryLines(document, look)];
  }

  #add(result: CheckResult): void {
    const { check, status, reason, notes } = result;
    const known = this.#knownOf(result);
    const lines = this.#lines?.of({ ...check, status, notes, reason, ...(known && { known }) });
    this.#waiting.push(...(lines ?? []));
    this.#printed.add(check.id);
  }

  #flush(): void {
    this.#session.print(this.#waiting.splice(0));
  }
}

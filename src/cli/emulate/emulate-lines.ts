import type { EmulatedSide } from '../../app/emulation.ts';
import { operationOf } from '../../app/signup.ts';
import type { SignupOutcome } from '../../client/signup.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { JournalEntry, RecordedCall, Redaction } from '../../emulator/journal.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { fitLine, marks, padEnd, plainStyle, type Style } from '../../reports/human.ts';
import { redacted } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { type DecodedField, decodeExchange } from '../../watch/decoded.ts';
import type { Output } from '../context.ts';
import type { Session } from '../session.ts';
import { exchangeLine, type ListedExchange } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';

/** Prints one line per exchange, its fields under --verbose, or a JSON object under --json. */
export class ExchangeLines {
  readonly #session: Session;
  readonly #side: EmulatedSide;
  readonly #redaction: Redaction;
  #clock: Intl.DateTimeFormat | undefined;

  constructor(session: Session, side: EmulatedSide, redaction: Redaction) {
    this.#session = session;
    this.#side = side;
    this.#redaction = redaction;
  }

  received(entry: JournalEntry, call: RecordedCall): void {
    const { faults, diagnosis, answer, remarks = [] } = entry;
    const listed: ListedExchange = {
      at: call.receivedAt,
      way: 'in',
      what: entry.operation ?? `${entry.request.method} ${entry.request.path}`,
      ptnCd: entry.ptn_cd,
      status: answer.status,
      code: entry.code,
      durationMs: entry.duration_ms,
      outcome:
        diagnosis !== undefined ? 'bad' : faults.length + remarks.length > 0 ? 'fault' : 'good',
      remarks: [
        ...(diagnosis === undefined ? [] : [diagnosis.message]),
        ...remarks,
        ...faults.map((name) => this.#faultRemark(name)),
        ...(answer.broken_off === undefined ? [] : [`broken off: ${answer.broken_off}`]),
      ],
    };
    const bodies = [
      `  ${marks.arrowIn} ${entry.request.body}`,
      `  ${marks.arrowOut} ${entry.answer.body}`,
    ];
    const { request } = call;
    const { key } = call.facts;
    const fields = { request: request.body, response: call.response.body, key };
    this.#print({ event: 'exchange', ...entry }, listed, () => [
      ...bodies,
      ...this.#decoded(fields),
    ]);
  }

  sent({ steps, ptnCd, key, diagnosis: whole }: SignupOutcome): void {
    for (const [index, step] of steps.entries()) {
      const { http_status, code, message, diagnosis: own } = callReport(step);
      const diagnosis = own ?? (index === steps.length - 1 ? whole : undefined);
      const { startedAt, request, response } = step.exchange;
      const operation = operationOf(step);
      const listed: ListedExchange = {
        at: startedAt,
        way: 'out',
        what: operation,
        ptnCd,
        status: http_status ?? undefined,
        code: code ?? undefined,
        durationMs: durationOf(step),
        outcome: diagnosis === undefined ? 'good' : 'bad',
        remarks: diagnosis === undefined ? [] : [`${diagnosis.code}: ${diagnosis.message}`],
      };
      const event = {
        event: 'callback',
        sent_at: new Date(startedAt).toISOString(),
        duration_ms: listed.durationMs,
        operation,
        ptn_cd: ptnCd,
        http_status,
        code,
        message,
        ...(diagnosis && { diagnosis }),
      };
      const body = response?.body ?? new Uint8Array();
      const bodies = [
        `  ${marks.arrowOut} ${textOf(request.body)}`,
        `  ${marks.arrowIn} ${textOf(body)}`,
      ];
      this.#print(event, listed, () => [
        ...bodies,
        ...this.#decoded({ request: request.body, response: body, key }),
      ]);
    }
  }

  /** On standard error where standard output belongs to the command after `--`. */
  #print(
    event: Readonly<Record<string, unknown>>,
    listed: ListedExchange,
    details: () => readonly string[],
  ): void {
    const { global, childCommand, context } = this.#session;
    if (childCommand.length > 0) {
      if (global.verbose)
        this.#session.note(this.#line(listed, context.stderr, plainStyle, 'note: '.length));
      return;
    }
    const more = global.verbose && !global.json ? details() : [];
    const line = this.#line(listed, context.stdout, this.#session.style);
    this.#session.emit(event, [line, ...more.map(escapeControls)].join('\n'));
  }

  #line(listed: ListedExchange, output: Output, style: Style, beside = 0): string {
    const width = columnsOf(output) - beside;
    return exchangeLine(listed, { style, width, time: (at) => this.#time(at) });
  }

  #faultRemark(name: string): string {
    const fault = this.#side.faults.catalogue.find((known) => known.name === name);
    return fault === undefined ? `fault ${name}` : `fault ${name}: ${fault.title}`;
  }

  #time(at: number): string {
    this.#clock ??= new Intl.DateTimeFormat('en-GB', {
      timeZone: this.#session.context.localTimeZone(),
      timeStyle: 'medium',
    });
    return this.#clock.format(at);
  }

  /** For example `partner_sp  Super Passcode: …`, secrets redacted. */
  #decoded(bodies: {
    readonly request: Uint8Array;
    readonly response: Uint8Array;
    readonly key?: Secret;
  }): readonly string[] {
    const { cipher, timeZone } = this.#side;
    const fields = decodeExchange({ ...bodies, cipher, timeZone });
    const column = Math.max(0, ...fields.map(({ field }) => field.length));
    const columns = columnsOf(this.#session.context.stdout);
    return fields.flatMap((field) => {
      const shown = escapeControls(String(this.#redaction.json(this.#value(field))));
      const line = `    ${padEnd(field.field, column)}  ${field.title}: ${shown}`;
      return fitLine(line, columns);
    });
  }

  #value({ value, isSecret, note }: DecodedField): string {
    const isShown = !isSecret || this.#session.showsSecrets;
    const text = value === null ? undefined : isShown ? value : redacted;
    return [text, note && (text === undefined ? note : `(${note})`)].filter(Boolean).join(' ');
  }
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}

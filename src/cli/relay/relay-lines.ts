import { titleOf } from '../../relay/capture.ts';
import type { Lesson } from '../../relay/lessons/lesson.ts';
import type { RelayedExchange } from '../../relay/relay.ts';
import { fields, fitLine } from '../../reports/human.ts';
import { escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';
import { exchangeLine } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import type { OpenedTls } from '../tls/open-tls.ts';
import { tlsEvent, tlsRows, trustText } from '../tls/tls-lines.ts';

/** Prints one line per exchange, or a JSON object under --json. */
export class RelayLines {
  readonly #session: Session;
  readonly #clock: Intl.DateTimeFormat;

  constructor(session: Session) {
    this.#session = session;
    const timeZone = session.context.localTimeZone();
    this.#clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  }

  listening(addresses: {
    readonly callbackUrl: string | undefined;
    readonly authUrl: string | undefined;
    readonly to: URL | undefined;
    readonly service: URL | undefined;
    readonly uiUrl: string | undefined;
    readonly tls: OpenedTls | undefined;
  }): void {
    const { callbackUrl, authUrl, to, service, uiUrl, tls } = addresses;
    const session = this.#session;
    const width = columnsOf(session.context.stdout);
    const rows: (readonly [string, string])[] = [];
    if (callbackUrl !== undefined) {
      rows.push(['callback URL', `${callbackUrl}  forwards to ${to?.origin}`]);
    }
    if (authUrl !== undefined)
      rows.push(['auth URL', `${authUrl}  forwards to ${service?.origin}`]);
    if (tls !== undefined) rows.push(...tlsRows(tls));
    const lines = fields(rows, session.style).flatMap((line) => fitLine(line, width));
    const event = {
      event: 'listening',
      callback_url: callbackUrl ?? null,
      auth_url: authUrl ?? null,
      ...(uiUrl !== undefined && { ui_url: uiUrl }),
      ...(tls && { tls: tlsEvent(tls) }),
    };
    this.#session.emit(
      event,
      ['relaying', ...lines, ...(tls ? trustText(tls, session) : []), '', 'Ctrl-C stops it.'].join(
        '\n',
      ),
    );
  }

  exchange(relayed: RelayedExchange): void {
    const { exchange, judgement, direction, status } = relayed;
    const { operation, startedAt = 0, durationMs = 0 } = exchange;
    const { ptnCd = exchange.ptnCd, code, diagnoses, ok, findings } = judgement;
    const duration = Math.round(durationMs * 10) / 10;
    const event = {
      event: 'exchange',
      operation,
      ptn_cd: ptnCd ?? null,
      http_status: status ?? null,
      code: code ?? null,
      duration_ms: duration,
      diagnoses,
      checks: findings.map(({ check }) => check.id),
      source: exchange.source,
    };
    const line = () =>
      exchangeLine(
        {
          at: startedAt,
          way: direction === 'callback' ? 'in' : 'out',
          what: titleOf(exchange),
          ptnCd,
          status,
          code,
          durationMs: duration,
          outcome: ok ? (findings.length > 0 ? 'fault' : 'good') : 'bad',
          remarks: remarksOf(judgement),
        },
        {
          style: this.#session.style,
          width: columnsOf(this.#session.context.stdout),
          time: (at) => this.#clock.format(at),
        },
      );
    this.#session.emit(event, line);
  }

  /** @param isSetting for people only these are printed before the end */
  learned(
    { setting, value, confidence, evidence, alternatives }: Lesson,
    isSetting: boolean,
  ): void {
    const event = {
      event: 'learned',
      setting,
      value,
      confidence,
      evidence,
      ...(alternatives && alternatives.length > 0 && { alternatives }),
    };
    if (this.#session.global.json || isSetting) {
      this.#session.emit(event, this.#lessonText({ setting, value, confidence, evidence }));
    }
  }

  #lessonText({ setting, value, confidence, evidence }: Omit<Lesson, 'alternatives'>): string {
    const { style, context } = this.#session;
    const text = escapeControls(`learned: ${setting} ${value} (${confidence}). ${evidence}`);
    return fitLine(text, columnsOf(context.stdout)).map(style.accent).join('\n');
  }
}

/** Each diagnosis, and the requirement of what has none. */
function remarksOf({ diagnoses, findings }: RelayedExchange['judgement']): readonly string[] {
  const others = findings.filter(({ fault }) => fault.diagnosis === undefined);
  return [
    ...diagnoses.map(({ code, message }) => `${code}: ${message}`),
    ...others.map(({ check, fault }) => `${check.id}: ${fault.observed}`),
  ];
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeBase64Lenient } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';

import { diagnosePayload } from '../../diagnosis/payload.ts';
import { diagnoseWrappedForm, diagnoseWrappedKey } from '../../diagnosis/wrapped-key.ts';
import { type Diagnosis, stacks } from '../../errors.ts';
import { keepingLatest } from '../../latest-results.ts';
import { expiresAt, expiryReadings } from '../../protocol/expiry.ts';
import { explanationLines } from '../../reports/explanation.ts';
import { failureText } from '../../reports/failure-text.ts';
import { marks } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { toVerifyDocument } from '../../reports/verify-document.ts';
import { type ReportSubject, reportKinds } from '../../reports/verify-kinds.ts';
import { counted, escapeControls, firstOf } from '../../text.ts';
import { type AffectedUser, Analysis } from '../../traffic/analysis.ts';
import { type CapturedExchange, isCallback, titleOf } from '../../traffic/capture.ts';
import type { DistinctFinding } from '../../traffic/findings.ts';
import type { Judgement, Knowledge } from '../../traffic/judge.ts';
import { cipherFlag, expireTimeZoneFlag, keyFlag, privateKeyFlags } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { instant, nonEmpty } from '../args/values.ts';
import { defineCommand, type Line, type Outcome } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { explainErrorText, explanationLook } from '../explain/error-texts.ts';
import type { Failure } from '../failure.ts';
import { recogniseLanguage } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { columnsOf } from '../terminal/style.ts';
import {
  jsonReport,
  prepareReports,
  reportFlagOf,
  type WriteReports,
} from '../verify/report-files.ts';
import { exchangesOf, nothingFound } from './traffic-files.ts';

const kinds = ['json', 'junit', 'html', 'markdown'] as const;
type Kind = (typeof kinds)[number];

export const analyze = defineCommand({
  path: 'analyze',
  about:
    'Judges traffic that was captured elsewhere, without sending anything: requests and responses of both sides, by every check of verify that needs no request of its own and every diagnosis; payloads too, where the keys are known. Reads recordings, HTTP archives (HAR) of browsers, proxies and authcli, sessions of Charles, logs with bodies in any notation, and single bodies, also packed with gzip. Explains an expire_dt, an enc_partner_key, a payload or the error text of a library that is given instead of a file.',
  flags: {
    files: flag('<file...>', 'files, "-" for standard input, or a text to explain', {
      input: 'path',
    }),
    ...privateKeyFlags,
    key: keyFlag,
    cipher: cipherFlag,
    expireTimeZone: expireTimeZoneFlag,
    ptnCd: flag('--ptn-cd <code>', 'tell about this user alone, as a timeline', {
      parse: nonEmpty,
      candidates: 'user-code',
    }),
    since: flag('--since <instant>', 'tell about exchanges from this time on', { parse: instant }),
    until: flag('--until <instant>', 'tell about exchanges up to this time', { parse: instant }),
    users: flag(
      '--users <file>',
      'write the users for whom something failed as CSV; "-" for standard output',
      {
        input: 'path',
        parse: nonEmpty,
      },
    ),
    report: reportFlagOf(kinds, 'junit=analysis.xml'),
  },
  notes: [
    'In a log, bodies are found by the names of their fields, in snake or camel case: JSON, also escaped and over several lines, console.log of Node, print_r, var_dump and var_export of PHP, repr of Python, inspect of Ruby, toString of Java, %+v of Go, forms, logfmt, attributes and elements of XML. Requests and responses are paired by ids, operation and order. What a log leaves out, such as headers, is not judged.',
    'Payloads are decrypted with --key, the keys of the stored users, those that --private-key opens, and those of the recording. Plaintext is not printed without --show-secrets.',
  ],
  examples: {
    'a recording': 'authcli analyze session.jsonl',
    'a log, from a pipe': 'kubectl logs deploy/shop | authcli analyze -',
    'an expiry': 'authcli analyze 20260701120000',
  },
  run: async (options, session) => {
    const { files, report, privateKey, key, cipher, expireTimeZone, ptnCd, users } = options;
    const privateKeys = privateKey.map((each) => each.key);
    const [text = ''] = files;
    const path = resolve(session.context.cwd, text);
    const isFile = text === '-' || (text.length < 4096 && existsSync(path));
    if (files.length === 1 && !isFile) {
      const explained =
        explainExpiry(text.trim(), expireTimeZone, session) ??
        (await explainError(text, cipher, session)) ??
        explainCiphertext(text, { cipher, key, privateKeys });
      if (explained !== undefined) return explained;
    }
    const subject = { command: 'analyze', target: files.join(' ') };
    const write = await prepareReports(report, subject, session);
    const lookUpUser = keepingLatest(10_000, (code: string) => findUser(code, session));
    const knowledge = { cipher, key, privateKeys, lookUpUser };
    const analysis = new Analysis(knowledge, options);
    const timeline: Line[] = [];
    for await (const exchange of exchangesOf(files, session)) {
      const judgement = await analysis.add(exchange);
      for (const secret of judgement.secrets) session.secrets.addFromPeer(secret);
      if (!judgement.ok && exchange.response && isCallback(exchange))
        recogniseLanguage(exchange.response, session);
      for (const { fault } of judgement.findings)
        session.recognised(
          'trace',
          // The language of an error that the log has beside a callback.
          stacks.find((stack) => stack === fault.diagnosis?.evidence?.stack),
        );
      const isTold = ptnCd !== undefined && analysis.selects(exchange, judgement);
      if (isTold && timeline.length < mostEvents) timeline.push(...eventLines(exchange, judgement));
    }
    const named = analysis.findings.map((finding) => finding.ptnCd);
    for (const code of [...analysis.users, ...named]) session.secrets.show(code);
    if (analysis.exchanges === 0) throw nothingFound(files, analysis.others);
    const failure = failureOf(analysis);
    if (report.length > 0) await writeReports(analysis, subject, write, failure, session);
    const csv = csvOf(analysis.affected);
    if (users === '-') return { ...outcomeOf(analysis, failure, timeline, session), lines: csv };
    if (users !== undefined)
      await writeOutputFile(users, `${csv.join('\n')}\n`, '--users', session);
    return outcomeOf(analysis, failure, timeline, session);
  },
});

const mostEvents = 1000;

/** An exchange of one user: when, what, where, and what came of it. */
function eventLines(captured: CapturedExchange, judgement: Judgement): readonly string[] {
  const { startedAt, source, response, failure } = captured;
  const { ok, code, findings } = judgement;
  const time = startedAt === undefined ? '' : `${timeText(startedAt)}  `;
  const status = response?.status ? `HTTP ${response.status}` : '';
  const said = code === undefined ? (failure?.message ?? 'no response') : `code ${code}`;
  const mark = ok ? marks.good : marks.bad;
  const causes = findings.map(({ fault }) => fault.diagnosis?.message ?? fault.observed);
  return [
    escapeControls(
      `${mark} ${time}${titleOf(captured)}  ${[status, said].filter(Boolean).join(', ')}  (${source})`,
    ),
    ...causes.map((cause) => `    ${escapeControls(cause)}`),
  ];
}

/** The users as CSV (RFC 4180); a value that a spreadsheet would calculate begins with an apostrophe. */
function csvOf(users: readonly AffectedUser[]): readonly string[] {
  const cell = (value: string | number) =>
    `"${escapeControls(`${value}`)
      .replace(/^[=+@\t\r-]/, "'$&")
      .replaceAll('"', '""')}"`;
  const rows = users.map(({ ptnCd, firstAt, lastAt, count, operation, check, cause }) =>
    [ptnCd, isoText(firstAt), isoText(lastAt), count, operation, check, cause].map(cell).join(','),
  );
  return ['ptn_cd,first,last,failures,operation,check,cause', ...rows];
}

function overTimeOf({ overTime }: Analysis) {
  return overTime.map(({ startedAt, seconds, exchanges, failed }) => {
    return { started_at: isoText(startedAt), seconds, exchanges, failed };
  });
}

function isoText(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString();
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

function failureOf({ findings, complete, exchanges }: Analysis): Failure | undefined {
  const broken = findings.filter(({ check }) => check.level === 'must');
  const [first] = broken;
  if (first === undefined) return complete > 0 ? undefined : nothingJudged(exchanges);
  const ids = broken.map(({ check }) => check.id);
  return {
    code: first.fault.diagnosis?.code ?? 'checks-failed',
    message: `${counted(broken.length, 'requirement')} broken: ${firstOf(ids, 1)}.`,
    hint: first.fault.fix,
    sumsUp: true,
    next: { words: ['explain', first.fault.diagnosis?.code ?? first.check.id] },
    exitStatus: exitStatus.negative,
  };
}

/** Requests alone, or responses alone, say nothing about what the other side makes of them. */
function nothingJudged(exchanges: number): Failure {
  return {
    code: 'usage',
    message: `Nothing was judged: of ${counted(exchanges, 'exchange')} none has both its request and its response, whole.`,
    hint: 'Log the body of each response beside that of its request, with the status.',
    exitStatus: exitStatus.usage,
  };
}

function outcomeOf(
  analysis: Analysis,
  failure: Failure | undefined,
  timeline: readonly Line[],
  session: Session,
): Outcome {
  const { exchanges, operations, users, failed, findings, others, redacted } = analysis;
  const [from, to] = analysis.times.map(isoText);
  if (redacted > 0) {
    session.note(
      'secrets are hidden in the recording, and what needs them was not judged; record with --show-secrets to have that judged too',
    );
  }
  if (analysis.notWithKey > 0) {
    session.note(
      `${counted(analysis.notWithKey, 'payload')} not decrypted with --key, which may be the key of another user; not judged`,
    );
  }
  return {
    fields: {
      exchanges,
      operations,
      other_exchanges: others,
      failed_exchanges: failed,
      from: from ?? null,
      to: to ?? null,
      users,
      affected_users: analysis.affected.map(({ ptnCd }) => ptnCd),
      // An agent, which calls quietly, has the first and last time of each finding.
      ...(!session.global.quiet && { over_time: overTimeOf(analysis) }),
      findings: findings.map((finding) => findingFields(finding, analysis)),
    },
    lines: [
      ...summaryLines(analysis),
      ...(timeline.length > 0 ? ['', ...timeline] : []),
      ...findings.flatMap((finding) => ['', ...findingLines(finding, analysis, session)]),
    ],
    failure,
  };
}

const operationNames = {
  'key-exchange': 'key exchange',
  registration: 'registration',
  token: 'token request',
  authenticate: 'authenticate request',
} as const;

function summaryLines(analysis: Analysis): readonly Line[] {
  const { exchanges, operations, users, failed, findings, others } = analysis;
  const names = Object.entries(operationNames) as [keyof typeof operations, string][];
  const parts = names
    .filter(([name]) => operations[name] > 0)
    .map(([name, words]) => counted(operations[name], words));
  const musts = findings.filter(({ check }) => check.level === 'must').length;
  const shoulds = findings.length - musts;
  const missed = shoulds === 0 ? '' : `; ${counted(shoulds, 'recommendation')} not followed`;
  const wrong =
    failed > 0
      ? `${failed} of them break ${counted(musts, 'requirement')}`
      : analysis.complete > 0 && 'No requirement is broken';
  const [from, to] = analysis.times.map(timeText);
  const times = from === undefined ? '' : `, ${from}${to === from ? '' : ` to ${to}`}`;
  return [
    `${counted(exchanges, 'exchange')} of ${counted(users.length, 'user')}${times}: ${failed} failed`,
    parts.join(', '),
    ...(others > 0 ? [`${counted(others, 'exchange')} of something else left out`] : []),
    ...(wrong ? [`${wrong}${missed}.`] : []),
  ];
}

function findingFields(finding: DistinctFinding, analysis: Analysis) {
  const { check, side, count, source, ptnCd, fault, users, firstAt, lastAt } = finding;
  const rate = analysis.rate(finding);
  const { id, title, section, level } = check;
  const { expected, observed, fix, diagnosis } = fault;
  return {
    id,
    title,
    section: reveal(section),
    level,
    side,
    count,
    users: users.size,
    first: { source, ...(ptnCd !== undefined && { ptn_cd: ptnCd }), at: isoText(firstAt) || null },
    last: { at: isoText(lastAt) || null },
    ...(rate && { exchanges_before: rate.before, exchanges_since: rate.since }),
    apart: analysis.apart(finding),
    expected,
    observed,
    fix,
    ...(diagnosis && { diagnosis }),
  };
}

function findingLines(
  finding: DistinctFinding,
  analysis: Analysis,
  session: Session,
): readonly string[] {
  const { check, side, source, ptnCd, fault } = finding;
  const { style, context } = session;
  const isMust = check.level === 'must';
  const mark = isMust ? style.bad(marks.bad) : style.warn('!');
  const seen = `${timesOf(finding)}${source}${ptnCd === undefined ? '' : `, ptn_cd ${ptnCd}`}`;
  const about = [rateOf(finding, analysis), apartOf(finding, analysis)].filter((line) => line);
  const { diagnosis, expected, observed, fix } = fault;
  const look = session.failureLook(style, columnsOf(context.stdout));
  return [
    `${mark} ${style.bold(check.id)}  the ${side} ${check.title}`,
    `  ${style.dim(escapeControls(seen))}`,
    ...about.map((line) => `  ${escapeControls(line)}`),
    ...failureText(
      {
        cause: escapeControls(diagnosis?.message ?? `Expected ${expected}, got ${observed}.`),
        fix: escapeControls(fix),
        calls: diagnosis?.calls,
      },
      look,
    ).map((line) => `  ${line}`),
  ];
}

/** How often, for how many users, and when; in front of where it was seen first. */
function timesOf({ count, users, firstAt, lastAt }: DistinctFinding): string {
  const [first, last] = [firstAt, lastAt].map((at) => at && timeText(at));
  const until = first === last ? '' : ` to ${last}`;
  const when = first ? `${first}${until}, ` : '';
  if (count === 1) return when;
  const whom = users.size > 1 ? ` for ${counted(users.size, 'user')}` : '';
  return `${count} times${whom}, ${when}first in `;
}

/** Of how many exchanges of the kind, before and since; nothing where that says no more than the count. */
function rateOf(finding: DistinctFinding, analysis: Analysis): string {
  const { count, operation } = finding;
  const { before, since } = analysis.rate(finding) ?? { before: 0, since: count };
  if (operation === 'other' || count < 2 || (before === 0 && since === count)) return '';
  const earlier = before === 0 ? '' : `, none of ${before} before`;
  return `${count} of ${counted(since, operationNames[operation])} since then${earlier}`;
}

function apartOf(finding: DistinctFinding, analysis: Analysis): string {
  const traits = analysis.apart(finding);
  return traits.length === 0 ? '' : `all of them, and none that succeeded: ${traits.join('; ')}`;
}

async function writeReports(
  analysis: Analysis,
  subject: ReportSubject,
  write: WriteReports<Kind>,
  failure: Failure | undefined,
  session: Session,
): Promise<void> {
  const { now, version } = session.context;
  const result = analysis.result(now());
  const whole = toVerifyDocument(result, {
    ...subject,
    version,
    repeatCommand: () => session.repeatLine(),
    overTime: overTimeOf(analysis),
  });
  const document = session.redactJson({ ...whole, requests: analysis.exchanges }) as typeof whole;
  const json = await jsonReport({ document, failure }, session);
  await write((kind) => reportKinds[kind]({ document, json, har: undefined }));
}

function explainExpiry(text: string, timeZone: string | undefined, { context }: Session) {
  if (!/^\d{14}$/.test(text)) return undefined;
  const readings = expiryReadings(text, context.localTimeZone());
  if (readings === undefined) return undefined;
  const expires = expiresAt(text, timeZone);
  return {
    fields: { kind: reveal('expire_dt'), ...readings, expires_at: expires },
    lines: [
      'An expire_dt (section 2.1): when an access token expires.',
      ...(expires === null ? [] : [`In the time zone ${timeZone}: ${expires}`]),
      `Read as UTC:   ${readings.utc}`,
      `Read as local: ${readings.local}`,
      ...(expires === null
        ? ['The interface leaves its time zone open: `authcli learn` finds it in traffic.']
        : []),
    ],
  };
}

async function explainError(text: string, cipher: Cipher, session: Session) {
  const found = explainErrorText(session.redactForeign(text), cipher);
  if (found === undefined) return undefined;
  return {
    fields: { kind: reveal('error-text'), explanation: found },
    lines: explanationLines(found, await explanationLook(session)),
  };
}

/** Lengths of the ciphertexts of RSA keys in use. */
const modulusBytes = [128, 256, 384, 512, 1024];

function explainCiphertext(
  text: string,
  { cipher, key, privateKeys = [] }: Knowledge,
): Outcome | undefined {
  const size = decodeBase64Lenient(text.trim())?.length ?? 0;
  if (size < 16) return undefined;
  const [privateKey, ...otherPrivateKeys] = privateKeys;
  if (modulusBytes.includes(size) && key === undefined) {
    const about = `An enc_partner_key (section 2.2): ${size} bytes, as under RSA ${8 * size}.`;
    if (privateKey === undefined) {
      const hint = 'Give --private-key to see whether it decrypts to a key of 32 characters.';
      const [wrong] = diagnoseWrappedForm(text, [size]).diagnoses;
      return textOutcome('enc_partner_key', about, hint, wrong);
    }
    const [wrong] = diagnoseWrappedKey(text, { privateKey, otherPrivateKeys }).diagnoses;
    const right = 'It decrypts to a per-user key as section 2.2 has it.';
    return textOutcome('enc_partner_key', about, right, wrong);
  }
  const payload = text.trim();
  const about = `A partner_sp, ptn_sp or ubifill (section 2.1), perhaps: ${size} bytes in Base64.`;
  if (key === undefined) {
    const hint = 'Give --key to see whether it decrypts, or which cipher does.';
    return textOutcome('payload', about, hint);
  }
  const found = decryptPayload(payload, key.reveal(), cipher).ok
    ? undefined
    : diagnosePayload({ payload, key: key.reveal(), cipher }).diagnosis;
  const right = 'It decrypts with this key: `authcli decrypt` shows it.';
  return textOutcome('payload', about, right, found);
}

function textOutcome(kind: string, about: string, right: string, diagnosis?: Diagnosis): Outcome {
  if (diagnosis === undefined) return { fields: { kind: reveal(kind) }, lines: [about, right] };
  return { fields: { kind: reveal(kind), diagnosis }, lines: [about], failure: diagnosis };
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeBase64Lenient } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import { diagnosePayload } from '../../diagnosis/payload.ts';
import { diagnoseWrappedForm, diagnoseWrappedKey } from '../../diagnosis/wrapped-key.ts';
import type { Diagnosis } from '../../errors.ts';
import { keepingLatest } from '../../latest-results.ts';
import { expiresAt, expiryReadings } from '../../protocol/expiry.ts';
import { explanationLines } from '../../reports/explanation.ts';
import { failureText } from '../../reports/failure-text.ts';
import { marks } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { toVerifyDocument } from '../../reports/verify-document.ts';
import { counted, escapeControls } from '../../text.ts';
import { Analysis } from '../../traffic/analysis.ts';
import type { DistinctFinding } from '../../traffic/findings.ts';
import type { Knowledge } from '../../traffic/judge.ts';
import { cipherFlag, expireTimeZoneFlag, keyFlag, privateKeyFlags } from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { defineCommand, type Line, type Outcome } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { explainErrorText, explanationLook } from '../explain/error-texts.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { columnsOf } from '../terminal/style.ts';
import {
  checkReportFiles,
  jsonReport,
  type ReportFile,
  reportFileOf,
} from '../verify/report-files.ts';
import { writeReportFiles } from '../verify/verify-reports.ts';
import { exchangesOf, nothingFound } from './traffic-files.ts';

const kinds = ['json', 'junit', 'html', 'markdown'] as const;
type Kind = (typeof kinds)[number];

export const analyze = defineCommand({
  path: 'analyze',
  about:
    'Judges traffic that was captured elsewhere, without sending anything: requests and responses of both sides, by every check of verify that needs no request of its own and every diagnosis; payloads too, where the keys are known. Reads recordings, HTTP archives (HAR) of browsers, proxies and authcli, logs with bodies in any notation, and single bodies, also packed with gzip. Explains an expire_dt, an enc_partner_key, a payload or the error text of a library that is given instead of a file.',
  flags: {
    files: flag('<file...>', 'files, "-" for standard input, or a text to explain', {
      input: 'path',
    }),
    ...privateKeyFlags,
    key: keyFlag,
    cipher: cipherFlag,
    expireTimeZone: expireTimeZoneFlag,
    report: flag('--report <kind=file...>', `write a report: ${kinds.join(', ')}`, {
      group: 'output',
      parse: reportFileOf(kinds, 'junit=analysis.xml'),
    }),
  },
  notes: [
    'In a log, bodies are found by the names of their fields, in snake or camel case: JSON, also escaped and over several lines, console.log of Node, print_r, var_dump and var_export of PHP, repr of Python, inspect of Ruby, toString of Java, %+v of Go, forms, logfmt and attributes of XML. Requests and responses are paired by ids, operation and order. What a log leaves out, such as headers, is not judged.',
    'Payloads are decrypted with --key, the keys of the stored users, those that --private-key opens, and those of the recording. Plaintext is not printed without --show-secrets.',
  ],
  examples: {
    'a recording': 'authcli analyze session.jsonl',
    'a log, from a pipe': 'kubectl logs deploy/shop | authcli analyze -',
    'an expiry': 'authcli analyze 20260701120000',
  },
  run: async ({ files, report, privateKey, key, cipher, expireTimeZone }, session) => {
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
    await checkReportFiles(report, session);
    const analysis = new Analysis({
      cipher,
      key,
      privateKeys,
      lookUpUser: keepingLatest(10_000, (ptnCd: string) => findUser(ptnCd, session)),
    });
    for await (const exchange of exchangesOf(files, session)) {
      const { secrets } = await analysis.add(exchange);
      for (const secret of secrets) session.secrets.addFromPeer(secret);
    }
    const named = analysis.findings.map(({ ptnCd }) => ptnCd);
    for (const ptnCd of [...analysis.users, ...named]) session.secrets.show(ptnCd);
    if (analysis.exchanges === 0) throw nothingFound(files, analysis.others);
    const failure = failureOf(analysis);
    await writeReports(analysis, files, report, failure, session);
    return outcomeOf(analysis, failure, session);
  },
});

function failureOf({ findings }: Analysis): Failure | undefined {
  const broken = findings.filter(({ check }) => check.level === 'must');
  const [first, ...others] = broken;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    code: first.fault.diagnosis?.code ?? 'checks-failed',
    message: `${counted(broken.length, 'requirement')} broken: ${first.check.id}${more}.`,
    hint: first.fault.fix,
    sumsUp: true,
    next: { words: ['explain', first.fault.diagnosis?.code ?? first.check.id] },
    exitStatus: exitStatus.negative,
  };
}

function outcomeOf(analysis: Analysis, failure: Failure | undefined, session: Session): Outcome {
  const { exchanges, operations, users, failed, findings, others, redacted } = analysis;
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
      users,
      findings: findings.map(findingFields),
    },
    lines: [
      ...summaryLines(analysis),
      ...findings.flatMap((finding) => ['', ...findingLines(finding, session)]),
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
  const wrong =
    failed === 0
      ? 'No requirement is broken'
      : `${failed} of them break ${counted(musts, 'requirement')}`;
  return [
    `${counted(exchanges, 'exchange')} of ${counted(users.length, 'user')}: ${parts.join(', ')}`,
    ...(others > 0 ? [`${counted(others, 'exchange')} of something else left out`] : []),
    `${wrong}${shoulds === 0 ? '' : `; ${counted(shoulds, 'recommendation')} not followed`}.`,
  ];
}

function findingFields({ check, side, count, source, ptnCd, fault }: DistinctFinding) {
  const { id, title, section, level } = check;
  const { expected, observed, fix, diagnosis } = fault;
  return {
    id,
    title,
    section: reveal(section),
    level,
    side,
    count,
    first: { source, ...(ptnCd !== undefined && { ptn_cd: ptnCd }) },
    expected,
    observed,
    fix,
    ...(diagnosis && { diagnosis }),
  };
}

function findingLines(finding: DistinctFinding, session: Session): readonly string[] {
  const { check, side, count, source, ptnCd, fault } = finding;
  const { style, context } = session;
  const isMust = check.level === 'must';
  const mark = isMust ? style.bad(marks.bad) : style.warn('!');
  const times = count === 1 ? '' : `${count} times, first in `;
  const { diagnosis, expected, observed, fix } = fault;
  const look = session.failureLook(style, columnsOf(context.stdout));
  return [
    `${mark} ${style.bold(check.id)}  the ${side} ${check.title}`,
    `  ${style.dim(`${escapeControls(times + source)}${ptnCd === undefined ? '' : `, ptn_cd ${escapeControls(ptnCd)}`}`)}`,
    ...failureText(
      {
        code: diagnosis?.code ?? check.id,
        cause: escapeControls(diagnosis?.message ?? `Expected ${expected}, got ${observed}.`),
        fix: escapeControls(fix),
        calls: diagnosis?.calls,
      },
      look,
    ).map((line) => `  ${line}`),
  ];
}

async function writeReports(
  analysis: Analysis,
  files: readonly string[],
  reports: readonly ReportFile<Kind>[],
  failure: Failure | undefined,
  session: Session,
): Promise<void> {
  if (reports.length === 0) return;
  const { now, version } = session.context;
  const result = analysis.result({ now: now(), seed: '' });
  const whole = toVerifyDocument(result, {
    command: 'analyze',
    target: files.join(' '),
    version,
    repeatCommand: () => session.repeatLine(),
    baseline: { known: new Map(), stale: [], expired: [] },
  });
  const document = session.redactJson({ ...whole, requests: analysis.exchanges }) as typeof whole;
  const json = await jsonReport({ document, failure }, session);
  await writeReportFiles({ document, json, har: undefined }, reports, session);
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
  const found = explainErrorText(text, cipher);
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
  {
    cipher,
    key,
    privateKeys,
  }: Pick<Knowledge, 'cipher' | 'key'> & {
    readonly privateKeys: readonly RsaPrivateKey[];
  },
): Outcome | undefined {
  const size = decodeBase64Lenient(text.trim())?.length ?? 0;
  if (size < 16) return undefined;
  const [privateKey, ...otherPrivateKeys] = privateKeys;
  if (modulusBytes.includes(size) && key === undefined) {
    const about = `An enc_partner_key (section 2.2): ${size} bytes, as under RSA ${8 * size}.`;
    const { diagnoses } =
      privateKey === undefined
        ? diagnoseWrappedForm(text, [size])
        : diagnoseWrappedKey(text, { privateKey, otherPrivateKeys });
    const right =
      privateKey === undefined
        ? 'Give --private-key to see whether it decrypts to a key of 32 characters.'
        : 'It decrypts to a per-user key as section 2.2 has it.';
    return textOutcome('enc_partner_key', about, right, diagnoses[0]);
  }
  const payload = text.trim();
  const about = `A partner_sp, ptn_sp or ubifill (section 2.1), perhaps: ${size} bytes in Base64.`;
  if (key === undefined) {
    const hint = 'Give --key to see whether it decrypts, or which cipher does.';
    return textOutcome('payload', about, hint);
  }
  const found = decryptPayload(payload, key.reveal(), cipher).ok
    ? undefined
    : diagnosePayload(payload, key.reveal(), { cipher }).diagnosis;
  const right = 'It decrypts with this key: `authcli decrypt` shows it.';
  return textOutcome('payload', about, right, found);
}

function textOutcome(kind: string, about: string, right: string, diagnosis?: Diagnosis): Outcome {
  if (diagnosis === undefined) return { fields: { kind: reveal(kind) }, lines: [about, right] };
  return { fields: { kind: reveal(kind), diagnosis }, lines: [about], failure: diagnosis };
}

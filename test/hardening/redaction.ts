import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication as emulatedApplication, simulateSignup } from '../../src/index.ts';
import { Redactor, redacted } from '../../src/reports/redact.ts';
import { applicationKey, startApplication } from '../support/peer-application.ts';
import { run } from '../support/run.ts';
import { type Encoding, encodings } from './redaction-encodings.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** Secrets of each kind; the names are written in several scripts. */
const secrets: Readonly<Record<string, string>> = {
  key: 'peyo30eJy6/EHn03nLgvLWt3PQ+P567"',
  passcode: 'p@ss w0rd & <b>"quotes"',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJh_-Z.c2lnbmF0dXJl',
  secret_key: "it's+a/secret==",
  email: 'anna.smith+test@example.com',
  phone: '+49 151 2345678',
  'user information':
    '{"email":"anna@example.org","name":"Anna Lovelace","phone":"+1 555 010 9999"}',
  'name in Hebrew': 'דניאל\u200f כהן לוי',
  'name in Arabic': 'محمد علي\u061c حسن',
  'name in Thai': 'สมชาย ใจดี',
  'name in emoji': '👩‍👩‍👧 Familie 🎉🎉',
  'name with separators': 'Ana\u2028María\u0085Ñandú',
};

/** What is around it, and where the text is cut. */
const places: Readonly<Record<string, Encoding>> = {
  'in a text': (text) => `before ${text} after`,
  'in a field': (text) => `{"a":"${text}"}`,
  'in a query': (text) => `/x?a=${text}&b=1`,
  cut: (text) => `before ${text.slice(0, Math.ceil(text.length * 0.8))}…`,
};

/** As much of an encoded secret in one piece is a leak: four characters of it as \\uXXXX, 15 in Base64. */
const leakUnits = 20;

/** Whether a part of `encoded` is in `output`. */
function leaks(encoded: string, output: string): boolean {
  const text = output.replaceAll(redacted, '\0');
  const width = Math.min(leakUnits, Math.floor(encoded.length * 0.6));
  for (let at = 0; at + width <= encoded.length; at += 1) {
    const part = encoded.slice(at, at + width);
    const says = part.replace(/&\w*;?/g, '').match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    if (says >= Math.min(6, width / 2) && text.includes(part)) return true;
  }
  return false;
}

/** Every secret in every encoding, hidden in outputs of every kind. */
export async function redaction({ quick }: HardeningOptions): Promise<SectionResult> {
  const texts = inTexts();
  const outputs = await inOutputs(quick);
  const rows = [
    { what: 'encoded secrets in texts', result: texts, atLeast: 5000 },
    { what: 'encoded secrets in outputs', result: outputs, atLeast: 1500 },
  ].map(({ what, result, atLeast }) => {
    const { tried, found } = result;
    return { what, tried, outcome: 'leaks', count: found.length, atLeast };
  });
  return { rows, failures: [...texts.found, ...outputs.found] };
}

interface Search {
  tried: number;
  readonly found: string[];
}

function inTexts(): Search {
  const search: Search = { tried: 0, found: [] };
  for (const [kind, secret] of Object.entries(secrets)) {
    const redactor = new Redactor();
    redactor.add(secret);
    for (const [how, encode] of Object.entries(encodings)) {
      const encoded = encode(secret);
      for (const [where, place] of Object.entries(places)) {
        const text = place(encoded);
        const shown: Readonly<Record<string, string>> = {
          text: redactor.text(text),
          JSON: JSON.stringify(redactor.json({ value: text })),
          'cut afterwards': redactor.head(text, text.length - 9),
        };
        for (const [as, output] of Object.entries(shown)) {
          search.tried += 1;
          const isWhole = as !== 'cut afterwards';
          const isHidden = (output.includes(redacted) || !isWhole) && !leaks(encoded, output);
          if (!isHidden) search.found.push(`${kind} ${how}, ${where}, ${as}: ${output}`);
        }
      }
    }
  }
  return search;
}

/** How a program writes a peer's text into an output. */
const writings: readonly Encoding[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  (text) =>
    text.replace(
      /[&<>"']/g,
      (mark) =>
        ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[mark] ?? '',
    ),
];

async function inOutputs(quick: boolean): Promise<Search> {
  const search: Search = { tried: 0, found: [] };
  const folder = mkdtempSync(join(tmpdir(), 'authcli-redaction-'));
  const chosen = Object.entries(secrets).filter(
    ([kind]) => !quick || /passcode|Hebrew|emoji/.test(kind),
  );
  try {
    for (const [kind, secret] of chosen) {
      const outputs = await outputsOf(secret, kind, folder, quick);
      for (const [as, output] of Object.entries(outputs)) {
        for (const [how, encode] of Object.entries(encodings)) {
          search.tried += 1;
          const encoded = encode(secret);
          if (writings.some((write) => leaks(write(encoded), output)))
            search.found.push(`${kind} ${how} in ${as}`);
        }
      }
    }
    return search;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The outputs of runs against an application that returns a secret in every encoding. */
async function outputsOf(
  secret: string,
  kind: string,
  folder: string,
  quick: boolean,
): Promise<Readonly<Record<string, string>>> {
  const message = Object.values(encodings)
    .map((encode) => encode(secret))
    .join(' | ');
  const isKey = kind === 'key';
  const application = await startApplication({
    key: isKey ? secret : applicationKey,
    respond: (_, right) =>
      JSON.stringify({ ...JSON.parse(right), message, note: { [secret]: message } }),
  });
  const flag = kind.startsWith('name') ? '--name' : '--super-passcode';
  const given = isKey ? [] : [flag, secret];
  const file = (name: string) => join(folder, name);
  const url = ['--url', new URL('/callback', application.url).href];
  const environment = { configFile: file('config.json') };
  try {
    const signup = ['simulate-signup', ...url, '--no-save', ...given, '--har', file('har')];
    const lines = await run([...signup, '--trace', '--curl'], environment);
    const narrow = await run([...signup, '--trace'], {
      ...environment,
      isTerminal: true,
      columns: 30,
    });
    const json = await run([...signup, '--json', '--verbose'], environment);
    const outputs: Record<string, string> = {
      'the lines, trace and curl': lines.stdout + lines.stderr,
      'a narrow terminal': narrow.stdout + narrow.stderr,
      'JSON and verbose': json.stdout + json.stderr,
      HAR: readFileSync(file('har'), 'utf8'),
      ...(await journalOf(secret, message)),
    };
    if (!isKey || quick) return outputs;
    const kinds = ['json', 'junit', 'html', 'markdown', 'har'];
    const reports = kinds.flatMap((each) => ['--report', `${each}=${file(each)}`]);
    const ids = ['response-shape', 'wraps-key', 'plain-key-absent', 'json-content-type'];
    const checks = ids.flatMap((id) => ['--check', `*/${id}`]);
    const verify = ['verify', ...url, ...checks, ...reports, '--format'];
    for (const format of ['human', 'github']) {
      const { stdout, stderr } = await run([...verify, format, '--verbose'], environment);
      outputs[`verify as ${format}`] = stdout + stderr;
    }
    for (const each of kinds) outputs[`the ${each} report`] = readFileSync(file(each), 'utf8');
    return outputs;
  } finally {
    await application.close();
  }
}

/** The journal and the events of an emulated application, which learns a secret from a sign-up and gets it encoded. */
async function journalOf(
  secret: string,
  message: string,
): Promise<Readonly<Record<string, string>>> {
  const events: unknown[] = [];
  await using application = await emulatedApplication({
    onExchange: (entry) => events.push(entry),
  });
  const url = `${application.origin}/callback`;
  await simulateSignup({ url, superPasscode: secret, userInfo: { name: secret } });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ used_type: '1', message });
  await fetch(url, { method: 'POST', headers, body });
  return { journal: JSON.stringify(application.journal()), events: JSON.stringify(events) };
}

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { simulateSignup, startApplication } from '../../src/index.ts';
import { Redactor, redacted } from '../../src/reports/redact.ts';
import { isThorough } from '../support/draws.ts';
import { startHandWritten } from '../support/hand-written-application.ts';
import { run } from '../support/run.ts';
import { type Encoding, encodings, named } from './redaction-encodings.ts';

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

/** What of every secret in every encoding is shown in a text. */
function leaksInTexts(): readonly string[] {
  const found: string[] = [];
  for (const [kind, secret] of Object.entries(secrets)) {
    const redactor = new Redactor();
    redactor.add(secret);
    for (const [how, encode] of Object.entries(encodings)) {
      const encoded = encode(secret);
      for (const [where, place] of Object.entries(places)) {
        const text = place(encoded);
        const shown = [redactor.text(text), JSON.stringify(redactor.json({ value: text }))];
        const cut = redactor.head(text, text.length - 9);
        const isHidden = shown.every((output) => output.includes(redacted));
        if (!isHidden || [...shown, cut].some((output) => leaks(encoded, output)))
          found.push(`${kind} ${how}, ${where}: ${shown} ${cut}`);
      }
    }
  }
  return found;
}

/** How a program writes a peer's text into an output. */
const writings: readonly Encoding[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  (text) => text.replace(/[&<>"']/g, (mark) => (mark === "'" ? '&#39;' : (named[mark] ?? ''))),
];

async function leaksInOutputs(): Promise<readonly string[]> {
  const found: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'authcli-redaction-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [kind, secret] of Object.entries(secrets)) {
    if (!isThorough && !/passcode|Hebrew|emoji/.test(kind)) continue;
    for (const [as, output] of await outputsOf(secret, kind, folder)) {
      for (const [how, encode] of Object.entries(encodings)) {
        if (writings.some((write) => leaks(write(encode(secret)), output)))
          found.push(`${kind} ${how} in ${as}`);
      }
    }
  }
  return found;
}

/** The outputs of runs against an application that returns a secret in every encoding. */
async function outputsOf(
  secret: string,
  kind: string,
  folder: string,
): Promise<readonly (readonly [as: string, output: string])[]> {
  const message = Object.values(encodings)
    .map((encode) => encode(secret))
    .join(' | ');
  const isKey = kind === 'key';
  const application = await startHandWritten({
    ...(isKey && { makeKey: () => secret }),
    respond: (_, right) =>
      JSON.stringify({ ...JSON.parse(right), message, note: { [secret]: message } }),
  });
  const flag = kind.startsWith('name') ? '--name' : '--super-passcode';
  const given = isKey ? [] : [flag, secret];
  const file = (name: string) => join(folder, name);
  const url = ['--url', new URL('/callback', application.url).href];
  const printed = async (argv: readonly string[], terminal: object = {}) => {
    const { stdout, stderr } = await run(argv, { configFile: file('config.json'), ...terminal });
    return stdout + stderr;
  };
  try {
    const signup = ['simulate-signup', ...url, '--no-save', ...given, '--har', file('har')];
    const narrow = { isTerminal: true, columns: 30 };
    const kinds = ['json', 'junit', 'html', 'markdown'];
    const reports = kinds.flatMap((each) => ['--report', `${each}=${file(each)}`]);
    const ids = ['response-shape', 'wraps-key', 'plain-key-absent', 'json-content-type'];
    const checks = ids.map((id) => `--check=*/${id}`);
    const verify = ['verify', ...url, ...checks, ...reports, '--verbose', '--format'];
    const outputs: [string, string][] = [
      ['the lines, trace and curl', await printed([...signup, '--trace', '--curl'])],
      ['a narrow terminal', await printed([...signup, '--trace'], narrow)],
      ['JSON and verbose', await printed([...signup, '--json', '--verbose'])],
      ['HAR', readFileSync(file('har'), 'utf8')],
      ...(await journalOf(secret, message)),
    ];
    if (!isKey) return outputs;
    for (const format of ['human', 'github'])
      outputs.push([`verify as ${format}`, await printed([...verify, format])]);
    for (const each of kinds) outputs.push([`report ${each}`, readFileSync(file(each), 'utf8')]);
    return outputs;
  } finally {
    await application.close();
  }
}

/** The journal and the events of an emulated application, which learns a secret from a sign-up and gets it encoded. */
async function journalOf(secret: string, message: string): Promise<[string, string][]> {
  const events: unknown[] = [];
  await using application = await startApplication({
    onExchange: (entry) => events.push(entry),
  });
  const url = `${application.origin}/callback`;
  await simulateSignup({ url, superPasscode: secret, userInfo: { name: secret } });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ used_type: '1', message });
  await fetch(url, { method: 'POST', headers, body });
  return [
    ['journal', JSON.stringify(application.journal())],
    ['events', JSON.stringify(events)],
  ];
}

describe('every secret in every encoding', () => {
  it('is hidden in texts, also in cut ones', () => assert.deepEqual(leaksInTexts(), []));

  it('is hidden in the outputs of commands and in the journal', async () => {
    assert.deepEqual(await leaksInOutputs(), []);
  });
});

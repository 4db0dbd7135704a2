import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { diagnoseErrorText } from '../../src/diagnosis/callback-failure.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { CallbackStep, Sent } from '../../src/diagnosis/error-situations.ts';
import { readErrorText, recogniseStack } from '../../src/diagnosis/error-text.ts';
import { errorTexts } from '../../src/diagnosis/error-texts.ts';
import { stacks } from '../../src/errors.ts';
import { fixture, fixtureRows } from '../support/fixtures.ts';

it('recognises each text of the table, and the stack it comes from', () => {
  for (const { text, situation, origin } of errorTexts) {
    const printed = text
      .replace(/<(?:n|hex)>/g, '7')
      .replace(/<(?:name|field)>/, 'ubifill')
      .replace('<end>', '')
      .replaceAll('…', 'abc');
    const found = readErrorText(`Caused by: ${printed}\n\tat somewhere`);
    assert.equal(found?.situation, situation, text);
    if (stacks.some((stack) => stack === origin)) assert.equal(found.stack, origin, text);
  }
});

it('recognises what libraries really print, and the stack that printed it', () => {
  for (const line of fixture('error-texts.tsv').trim().split('\n')) {
    const [stack, situation, text = ''] = line.split('\t');
    const found = readErrorText(text);
    // Libraries of OpenSSL don't tell their stack.
    assert.deepEqual([found?.situation, found?.stack ?? stack], [situation, stack], text);
  }
});

const common = ['client_id', 'used_type', 'ptn_cd'];

/** What is known of a request of that step, as simulate-signup knows it. */
function sentIn(step: CallbackStep | null, status?: number): Sent {
  if (step === null) return {};
  const sent = { step, status, ptnCd: 'u-1041' };
  if (step === 'key-exchange') return { ...sent, fields: [...common, 'public_key'] };
  return { ...sent, fields: [...common, 'partner_sp', 'ubifill'], cipher: defaultCipher };
}

it('names the right cause of each error response, or none', () => {
  for (const line of fixture('error-responses.jsonl').trim().split('\n')) {
    const { step, status, text, cause } = JSON.parse(line);
    const { causes = [] } = readErrorText(text, sentIn(step, status)) ?? {};
    assert.equal(causes[0]?.id ?? null, cause, text);
    assert.ok(causes.length <= 2, text);
    for (const { cause, fix } of causes) assert.doesNotMatch(cause + fix, /\{\w+\}|undefined|: \./);
  }
});

/** A text, and what is read in it, null for what is not; `cause` is a regular expression. */
interface Reading {
  readonly text: string;
  readonly cause?: string;
}

describe('an error text', () => {
  it('is told by its message, quoted without user data, and says what its numbers mean', () => {
    for (const { text, cause = '', ...expected } of fixtureRows<Reading>(
      'readings/error-texts.jsonl',
    )) {
      const { causes = [], ...found } = readErrorText(text) ?? {};
      const read = new Map(Object.entries(found));
      for (const [name, value] of Object.entries(expected))
        assert.equal(read.get(name) ?? null, value, text);
      assert.match(causes[0]?.cause ?? '', new RegExp(cause));
    }
  });

  it('is looked for in texts of any length and kind without delay', () => {
    for (const piece of ['Unexpected token ', "Table '", 'a.', '&quot;', '\\', 'A'.repeat(80)]) {
      assert.doesNotThrow(() => readErrorText(piece.repeat(100_000)));
      assert.doesNotThrow(() => recogniseStack([], Buffer.from(piece.repeat(100_000))));
    }
  });
});

const failed = diagnosis('code-not-success', 'Expected code "0000".', 'Check the log.');

const diagnose = (text: string, step: CallbackStep, status = 500) =>
  diagnoseErrorText(failed, { ...sentIn(step, status), texts: [text] });

describe('the diagnosis of an error text', () => {
  it('has the cause with its own fix and calls, and how sure it is', () => {
    const { message, hint, calls, confidence, evidence } = diagnose(
      "TypeError: Cannot read properties of undefined (reading 'used_type')\n at x (/srv/a.js:3:1)",
      'key-exchange',
    );
    assert.match(message, /^The application reports ".*" at a\.js:3\. .* Likely cause: The body /);
    assert.match(hint, /^Parse the body as JSON/);
    assert.match(calls.node ?? '', /express\.json/);
    assert.deepEqual([confidence, evidence?.source], ['likely', 'a.js:3']);
  });

  it('names two causes with what tells them apart, and no calls', () => {
    const { message, hint, calls, confidence } = diagnose(
      'slice bounds out of range',
      'registration',
    );
    assert.match(message, /Likely causes: 1\. .* 2\. /);
    assert.match(hint, /second, which `authcli cipher probe` shows: /);
    assert.deepEqual([calls, confidence], [{}, undefined]);
  });

  it('lets the status speak before the spelling of a field', () => {
    const text = '{"detail":"Field required: used_type"}';
    assert.match(diagnose(text, 'key-exchange', 415).hint, /^Make it consume JSON/);
    assert.match(diagnose('', 'key-exchange', 405).message, /^Expected code .* POST isn't handled/);
    assert.equal(diagnose('', 'key-exchange', 500), failed);
  });

  it('quotes an unknown error, and blames nothing for it', () => {
    const { message, confidence, evidence } = diagnose('shop.MoonError: \u001b[1m', 'key-exchange');
    assert.match(
      message,
      /^Expected code "0000"\. The application reports "shop.MoonError: \\u001b\[1m"/,
    );
    assert.deepEqual([confidence, evidence?.error_type], [undefined, 'shop.MoonError']);
  });
});

it('recognises the stack by the headers of a response', () => {
  const body = encodeUtf8('{"code":"0000","message":"","result":{}}');
  const date = [['Date', 'x']] as const;
  type Row = readonly [stack: string | null, name: string, value: string];
  for (const [stack, name, value] of fixtureRows<Row>('readings/stack-headers.jsonl')) {
    assert.equal(recogniseStack([...date, [name, value]], body) ?? null, stack, value);
  }
});

it('recognises the stack by the body of a response', () => {
  type Row = readonly [stack: string | null, text: string];
  for (const [stack, text] of fixtureRows<Row>('readings/stack-bodies.jsonl')) {
    assert.equal(recogniseStack([['Server', 'nginx']], encodeUtf8(text)) ?? null, stack, text);
    // A header is believed less: a proxy may have written it.
    const headers = [['X-Powered-By', 'ASP.NET']] as const;
    assert.equal(recogniseStack(headers, encodeUtf8(text)), stack ?? 'csharp', text);
  }
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { InputReader } from '../../src/cli/args/input.ts';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-input-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const utf16 = Buffer.from('\ufefffrom PowerShell: 日本\r\n', 'utf16le');
for (const [name, content] of Object.entries({
  'text.txt': 'from a file\n',
  'lines.txt': 'two\nlines\r\n',
  'utf8-mark.txt': '\ufefffrom an editor\r\n',
  'utf16le.txt': utf16,
  'utf16be.txt': Buffer.from(utf16).swap16(),
  'key.der': Uint8Array.of(0x30, 0x82, 0xff, 0x0a),
  odd: Uint8Array.of(0xff, 0xfe, 0x41),
  large: '',
}))
  writeFileSync(join(folder, name), content, { mode: 0o600 });
mkdirSync(join(folder, 'folder'));

function reader(stdin = 'from standard input\n'): InputReader {
  const context: Partial<Context> = {
    cwd: folder,
    platform: { node: '22.0.0', openssl: '3.0.0', os: 'linux' },
    env: { SECRET: 'from the environment', EMPTY: '' },
    stdin: { isTerminal: false, chunks: () => Readable.from([Buffer.from(stdin)]) },
    signal: new AbortController().signal,
    runChild: async ({ command, args }) => {
      const output = `${[command, ...args].join('|')}\r\nmore`;
      return { status: command === 'fails' ? 1 : 0, timedOut: command === 'sleeps', output };
    },
  };
  return new InputReader(context as Context, () => {});
}

type Flag = { readonly input: 'text' | 'file'; readonly references: boolean };
const text: Flag = { input: 'text', references: false };
const secret: Flag = { input: 'text', references: true };
const file: Flag = { input: 'file', references: false };
const read = (value: string, flag = text) => reader().resolve(flag, value, '--key');

describe('a large input', () => {
  const limit = 1024 * 1024;

  it('is refused before it is read, also from a device that never ends', async () => {
    truncateSync(join(folder, 'large'), limit);
    assert.equal((await read('@large')).bytes.length, limit);
    truncateSync(join(folder, 'large'), 50 * limit);
    const message = '--key: the file "large" has 50 MiB; the limit is 1 MiB.';
    await assert.rejects(read('@large'), { code: 'usage', message });
    await assert.rejects(read('@/dev/zero'), {
      message: /^--key: .* has more than 1 MiB; the limit/,
    });
  });

  const list = { bytes: 100, values: 3 };
  for (const [input, flagLimit, fault] of [
    ['x'.repeat(limit), undefined],
    ['x'.repeat(limit + 1), undefined, /^--x: standard input has more than 1 MiB; /],
    ['x'.repeat(10), { bytes: 10 }],
    ['x'.repeat(11), { bytes: 10 }, /the limit is 10 bytes/],
    ['[1,2,3]', list],
    ['[1,2,3,4]', list, /^--x: it has more than 3 values\./],
  ] as const) {
    it(`of ${input.length} bytes is ${fault ? `refused: ${fault.source}` : 'read'}`, async () => {
      const flag = { ...text, ...(flagLimit && { limit: flagLimit }) };
      const reading = reader(input).resolve(flag, '-', '--x');
      if (fault === undefined) return assert.equal((await reading).bytes.length, input.length);
      await assert.rejects(reading, { code: 'usage', message: fault });
    });
  }

  it('has that limit in a command too', async () => {
    const where = { configFile: join(folder, 'config.json'), cwd: folder };
    const { status, stderr } = await run(['key', 'inspect', '@large'], where);
    assert.equal(status, 2);
    assert.match(stderr, /the file "large" has 50 MiB; the limit is 1 MiB/);
  });
});

describe('values and where they come from', () => {
  for (const [value, flag, expected] of [
    ['as it is', text, 'as it is'],
    ['-', text, 'from standard input'],
    ['@text.txt', text, 'from a file'],
    ['text.txt', file, 'from a file'],
    ['@lines.txt', text, 'two\nlines'],
    ['@utf8-mark.txt', text, 'from an editor'],
    ['@utf16le.txt', text, 'from PowerShell: 日本'],
    ['@utf16be.txt', text, 'from PowerShell: 日本'],
    ['@odd', text, '\ufffd\ufffdA'],
    ['file:utf16le.txt', secret, 'from PowerShell: 日本'],
    ['env:SECRET', text, 'env:SECRET'],
    ['env:SECRET', secret, 'from the environment'],
    [`cmd:pass "show" 'my key' --a=b`, secret, 'pass|show|my key|--a=b'],
    ['@absent.txt', text, /^--key: the file "absent\.txt" doesn't exist/],
    ['@folder', text, /"folder" is a folder/],
    ['@', text, /^--key: "@" lacks the name of a file/],
    ['env:ABSENT', secret, /ABSENT is not set/],
    ['env:EMPTY', secret, /EMPTY is not set/],
    ['cmd:fails', secret, /the command fails failed/],
    ['cmd:sleeps', secret, /the command sleeps failed/],
    ['env:', secret, /nothing follows env:/],
    ['file:', secret, /nothing follows file:/],
    ['cmd:', secret, /nothing follows cmd:/],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', secret, /^--key: a PEM text can't be given .* begins/],
  ] as const) {
    it(`are read: ${value.slice(0, 30)}${flag.references ? ' of a secret' : ''}`, async () => {
      const reading = read(value, flag);
      if (typeof expected === 'string') assert.equal((await reading).text, expected);
      else await assert.rejects(reading, { code: 'usage', message: expected });
    });
  }

  it('keep the bytes of a text with a mark, but for its line end, and of what is not text', async () => {
    assert.deepEqual((await read('@utf16le.txt')).bytes, utf16.subarray(0, -4));
    assert.deepEqual([...(await read('@key.der')).bytes], [0x30, 0x82, 0xff, 0x0a]);
  });

  it('are read from standard input once', async () => {
    const input = reader();
    await input.resolve(text, '-', '<payload>');
    await assert.rejects(input.resolve(text, '-', '--key'), /already read for <payload>/);
  });
});

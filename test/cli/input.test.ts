import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { InputReader, splitWords } from '../../src/cli/args/input.ts';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-input-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const utf16 = Buffer.from('\ufefffrom PowerShell: 日本\r\n', 'utf16le');
const key = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';
for (const [name, content] of Object.entries({
  'text.txt': 'from a file\n',
  'lines.txt': 'two\nlines\r\n',
  'utf8-mark.txt': '\ufefffrom an editor\r\n',
  'utf16le.txt': utf16,
  'utf16be.txt': Buffer.from(utf16).swap16(),
  'key.der': Uint8Array.of(0x30, 0x82, 0xff, 0x0a),
  odd: Uint8Array.of(0xff, 0xfe, 0x41),
  'public.pem': 'no key either\n',
  'key.txt': key,
}))
  writeFileSync(join(folder, name), content, { mode: 0o600 });
mkdirSync(join(folder, 'folder'));

function reader(stdin = 'from standard input\n', maxInput?: number): InputReader {
  const context: Partial<Context> = {
    cwd: folder,
    platform: { node: '22.0.0', openssl: '3.0.0', os: 'linux' },
    env: { SECRET: 'from the environment', EMPTY: '' },
    stdin: { isTerminal: false, chunks: () => Readable.from([Buffer.from(stdin)]) },
    firstLineOf: async (command, args) => {
      if (command === 'fails') throw new Error('exit 1');
      return [command, ...args].join('|');
    },
  };
  return new InputReader(context as Context, { maxInput });
}

const text = { input: 'text', references: false } as const;
const secret = { input: 'text', references: true } as const;
const file = { input: 'file', references: false } as const;
const read = (value: string, flag: typeof text | typeof secret | typeof file = text) =>
  reader().resolve(flag, value, '--key');

describe('a large input', () => {
  const limit = 1024 * 1024;

  it('is refused before it is read, also from a device that never ends', async () => {
    const large = join(folder, 'large');
    writeFileSync(large, '');
    truncateSync(large, limit);
    assert.equal((await read('@large')).bytes.length, limit);
    truncateSync(large, 50 * limit);
    await assert.rejects(read('@large'), {
      code: 'usage',
      message: '--key: the file "large" has 50 MiB; the limit is 1 MiB.',
    });
    await assert.rejects(read('@/dev/zero'), {
      message: '--key: the file "/dev/zero" has more than 1 MiB; the limit is 1 MiB.',
    });
  });

  it('is refused on standard input', async () => {
    const from = (size: number) => reader('x'.repeat(size)).resolve(text, '-', '--x');
    assert.equal((await from(limit)).bytes.length, limit);
    await assert.rejects(from(limit + 1), {
      code: 'usage',
      message: '--x: standard input has more than 1 MiB; the limit is 1 MiB.',
    });
  });

  it('has the limit of --max-input, up to that of the flag', async () => {
    const long = { ...text, limit: { usual: 10, most: 20 } };
    const from = (size: number, maxInput?: number) =>
      reader('x'.repeat(size), maxInput).resolve(long, '-', '--x');
    assert.equal((await from(10)).text.length, 10);
    await assert.rejects(from(11), { hint: /raise the limit with --max-input, to 20 bytes/ });
    assert.equal((await from(20, 30)).text.length, 20);
    await assert.rejects(from(21, 30), { hint: /--max-input can't raise this limit/ });
    await assert.rejects(from(6, 5), { message: /the limit is 5 bytes/ });
  });

  it('has that limit in a command too', async () => {
    const where = { configFile: join(folder, 'config.json'), cwd: folder };
    const argv = ['key', 'inspect', '@large.txt'];
    writeFileSync(join(folder, 'large.txt'), 'x'.repeat(2000));
    assert.equal((await run(argv, where)).status, 1);
    const { status, stderr } = await run([...argv, '--max-input', '1KiB'], where);
    assert.equal(status, 2);
    assert.match(stderr, /the file "large\.txt" has 1\.9 KiB; the limit is 1 KiB/);
  });

  it('is refused for too many JSON values, which need more memory than bytes', async () => {
    const list = { ...text, limit: { usual: 100, most: 100, values: 3 } };
    assert.equal((await reader('[1,2,3]').resolve(list, '-', '--x')).text, '[1,2,3]');
    await assert.rejects(reader('[1,2,3,4]').resolve(list, '-', '--x'), {
      message: '--x: it has more than 3 values.',
    });
  });
});

describe('values and where they come from', () => {
  const cases: readonly (readonly [string, typeof text | typeof secret | typeof file, string])[] = [
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
    ['file:text.txt', secret, 'from a file'],
    ["cmd:pass show 'my key'", secret, 'pass|show|my key'],
  ];
  for (const [value, flag, expected] of cases) {
    it(`reads ${value}${flag.references ? ' of a secret' : ''}`, async () => {
      assert.equal((await read(value, flag)).text, expected);
    });
  }

  it('keeps the bytes of a text with a mark, but for its line end, and of what is not text', async () => {
    assert.deepEqual((await read('@utf16le.txt')).bytes, utf16.subarray(0, -4));
    assert.deepEqual([...(await read('@key.der')).bytes], [0x30, 0x82, 0xff, 0x0a]);
  });

  it('reads standard input once', async () => {
    const input = reader();
    await input.resolve(text, '-', '<payload>');
    await assert.rejects(input.resolve(text, '-', '--key'), /already read for <payload>/);
  });

  const refused: readonly (readonly [string, typeof text | typeof secret | typeof file, RegExp])[] =
    [
      ['@absent.txt', text, /--key: the file "absent\.txt" doesn't exist/],
      ['@', text, /--key: "@" lacks the name of a file/],
      ['@', secret, /--key: "@" lacks the name of a file/],
      ['@', file, /--key: "@" lacks the name of a file/],
      ['env:ABSENT', secret, /ABSENT is not set/],
      ['env:EMPTY', secret, /EMPTY is not set/],
      ['cmd:fails', secret, /the command fails failed/],
      ['env:', secret, /env: lacks the name of a variable/],
      ['file:', secret, /file: lacks the name of a file/],
      ['cmd:', secret, /cmd: lacks a command/],
      ['-----BEGIN PRIVATE KEY-----\nMIIE', secret, /^--key: a PEM text can't be given .* begins/],
    ];
  for (const [value, flag, message] of refused) {
    it(`refuses ${flag.references ? 'as a secret ' : ''}${value.slice(0, 11)}`, async () => {
      await assert.rejects(read(value, flag), { code: 'usage', message });
    });
  }

  it('splits a command without a shell', () => {
    const words = ['op', 'read', 'op://vault/my key', '--no-color'];
    assert.deepEqual(splitWords(`op read "op://vault/my key" --no-color`), words);
  });
});

describe('the name of a file where its content belongs', () => {
  const authcli = (line: string) =>
    run(line.split(' '), { cwd: folder, configFile: join(folder, 'config.json') });
  const put = (source: string, prefix: string) =>
    `note: ${source}: this is the name of a file; to read the file, put ${prefix} before it.`;

  for (const [line, note] of [
    ['key wrap file:key.txt --public-key public.pem', put('--public-key', '@')],
    ['key inspect public.pem', put('<text>', '@')],
    ['decrypt AAAA --key key.txt', put('--key', 'file:')],
  ] as const) {
    it(`is reported: ${line}`, async () => {
      const { status, stderr } = await authcli(line);
      assert.notEqual(status, 0);
      assert.ok(stderr.split('\n').includes(note), stderr);
    });
  }

  for (const [about, line] of [
    ['what is not a file', 'key inspect private.pem'],
    ['a folder', 'key inspect folder'],
    ['a name that no file can have', `key inspect ${'x'.repeat(5000)}`],
    ['a file that was read', 'key inspect @public.pem'],
    ['a text that served', `encrypt key.txt --key ${key}`],
  ] as const) {
    it(`is not said of ${about}`, async () => {
      assert.doesNotMatch((await authcli(line)).stderr, /name of a file/);
    });
  }
});

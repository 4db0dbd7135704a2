import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { InputReader, splitWords } from '../../src/cli/args/input.ts';
import type { Context } from '../../src/cli/context.ts';
import { AuthcliError } from '../../src/errors.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-input-'));
writeFileSync(join(folder, 'text.txt'), 'from a file\n', { mode: 0o600 });
writeFileSync(join(folder, 'lines.txt'), 'two\nlines\r\n');
writeFileSync(join(folder, 'utf8-mark.txt'), '\ufefffrom an editor\r\n');
const utf16 = Buffer.from('\ufefffrom PowerShell: 日本\r\n', 'utf16le');
writeFileSync(join(folder, 'utf16le.txt'), utf16, { mode: 0o600 });
writeFileSync(join(folder, 'utf16be.txt'), Buffer.from(utf16).swap16());
writeFileSync(join(folder, 'key.der'), Uint8Array.of(0x30, 0x82, 0xff, 0x0a));

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

describe('a large input', () => {
  const limit = 1024 * 1024;

  it('is refused before it is read', async () => {
    const file = join(folder, 'large');
    writeFileSync(file, '');
    truncateSync(file, limit);
    assert.equal((await reader().resolve(text, '@large', '--x')).bytes.length, limit);
    truncateSync(file, 50 * limit);
    await assert.rejects(reader().resolve(text, '@large', '--x'), {
      code: 'usage',
      message: '--x: the file "large" has 50 MiB; the limit is 1 MiB.',
    });
  });

  it('is refused on standard input', async () => {
    const { length } = (await reader('x'.repeat(limit)).resolve(text, '-', '--x')).bytes;
    assert.equal(length, limit);
    await assert.rejects(reader('x'.repeat(limit + 1)).resolve(text, '-', '--x'), {
      code: 'usage',
      message: '--x: standard input has more than 1 MiB; the limit is 1 MiB.',
    });
  });

  it('is refused from a device that never ends', async () => {
    await assert.rejects(reader().resolve(text, '@/dev/zero', '--x'), {
      message: '--x: the file "/dev/zero" has more than 1 MiB; the limit is 1 MiB.',
    });
  });

  it('has the limit of --max-input, up to that of the flag', async () => {
    const long = { ...text, limit: { usual: 10, most: 20 } };
    const read = (size: number, maxInput?: number) =>
      reader('x'.repeat(size), maxInput).resolve(long, '-', '--x');
    assert.equal((await read(10)).text.length, 10);
    await assert.rejects(read(11), { hint: /raise the limit with --max-input, to 20 bytes/ });
    assert.equal((await read(20, 30)).text.length, 20);
    await assert.rejects(read(21, 30), { hint: /--max-input can't raise this limit/ });
    await assert.rejects(read(6, 5), { message: /the limit is 5 bytes/ });
  });

  it('has that limit in a command too', async () => {
    writeFileSync(join(folder, 'key.txt'), 'x'.repeat(2000));
    const inspect = (...more: readonly string[]) =>
      run(['key', 'inspect', '@key.txt', ...more], {
        configFile: join(folder, 'config.json'),
        cwd: folder,
      });
    assert.equal((await inspect()).status, 1);
    const { status, stderr } = await inspect('--max-input', '1KiB');
    assert.equal(status, 2);
    assert.match(stderr, /the file "key\.txt" has 1\.9 KiB; the limit is 1 KiB/);
  });

  it('is refused for too many JSON values, which need more memory than bytes', async () => {
    const list = { ...text, limit: { usual: 100, most: 100, values: 3 } };
    assert.equal((await reader('[1,2,3]').resolve(list, '-', '--x')).text, '[1,2,3]');
    await assert.rejects(reader('[1,2,3,4]').resolve(list, '-', '--x'), {
      message: '--x: it has more than 3 values.',
    });
  });
});

const secret = { input: 'text', references: true } as const;

async function refuses(
  value: string,
  flag: typeof text | typeof secret,
  message: RegExp,
): Promise<void> {
  await assert.rejects(
    () => reader().resolve(flag, value, '--key'),
    (error: unknown) =>
      error instanceof AuthcliError && error.code === 'usage' && message.test(error.message),
  );
}

describe('values and where they come from', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  const cases: readonly (readonly [string, typeof text | typeof secret, string])[] = [
    ['as it is', text, 'as it is'],
    ['-', text, 'from standard input'],
    ['@text.txt', text, 'from a file'],
    ['@lines.txt', text, 'two\nlines'],
    ['@utf8-mark.txt', text, 'from an editor'],
    ['@utf16le.txt', text, 'from PowerShell: 日本'],
    ['@utf16be.txt', text, 'from PowerShell: 日本'],
    ['file:utf16le.txt', secret, 'from PowerShell: 日本'],
    ['env:SECRET', text, 'env:SECRET'],
    ['env:SECRET', secret, 'from the environment'],
    ['file:text.txt', secret, 'from a file'],
    ["cmd:pass show 'my key'", secret, 'pass|show|my key'],
  ];
  for (const [value, flag, expected] of cases) {
    it(`reads ${value}${flag.references ? ' of a secret' : ''}`, async () => {
      assert.equal((await reader().resolve(flag, value, '--key')).text, expected);
    });
  }

  it('keeps the bytes of a text with a byte order mark, but for its line end', async () => {
    const { bytes } = await reader().resolve(text, '@utf16le.txt', '--x');
    assert.deepEqual(bytes, utf16.subarray(0, -4));
  });

  it('reads bytes that only begin like a mark as they are', async () => {
    writeFileSync(join(folder, 'odd'), Uint8Array.of(0xff, 0xfe, 0x41));
    assert.equal((await reader().resolve(text, '@odd', '--x')).text, '\ufffd\ufffdA');
  });

  it('refuses a bare @, which names no file', async () => {
    for (const flag of [text, secret, { input: 'file', references: false } as const]) {
      await assert.rejects(
        reader().resolve(flag, '@', '--key'),
        (error) =>
          error instanceof AuthcliError &&
          error.code === 'usage' &&
          error.message === '--key: "@" lacks the name of a file.',
      );
    }
  });

  it('takes the content of a file flag from its path', async () => {
    const content = await reader().resolve(
      { input: 'file', references: false },
      'text.txt',
      '--ca',
    );
    assert.equal(content.text, 'from a file');
  });

  it('leaves bytes that are not text as they are', async () => {
    const content = await reader().resolve(text, '@key.der', '<text>');
    assert.deepEqual([...content.bytes], [0x30, 0x82, 0xff, 0x0a]);
  });

  it('reads standard input once', async () => {
    const input = reader();
    await input.resolve(text, '-', '<payload>');
    await assert.rejects(() => input.resolve(text, '-', '--key'), /already read for <payload>/);
  });

  it('says what is missing', async () => {
    await refuses('@absent.txt', text, /--key: the file "absent\.txt" doesn't exist/);
    await refuses('env:ABSENT', secret, /ABSENT is not set/);
    await refuses('env:EMPTY', secret, /EMPTY is not set/);
    await refuses('cmd:fails', secret, /the command fails failed/);
    await refuses('env:', secret, /env: lacks the name of a variable/);
    await refuses('file:', secret, /file: lacks the name of a file/);
    await refuses('cmd:', secret, /cmd: lacks a command/);
  });

  it('refuses a PEM on the command line without showing it', async () => {
    await refuses(
      '-----BEGIN PRIVATE KEY-----\nMIIE',
      secret,
      /^--key: a PEM text can't be given on the command line: it begins like an option/,
    );
  });

  it('splits a command without a shell', () => {
    assert.deepEqual(splitWords(`op read "op://vault/my key" --no-color`), [
      'op',
      'read',
      'op://vault/my key',
      '--no-color',
    ]);
  });
});

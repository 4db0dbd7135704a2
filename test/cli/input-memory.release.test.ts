import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bin, start } from '../support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-memory-'));
const hook = join(folder, 'memory.cjs');
const peak = join(folder, 'peak');
// Where there is no /proc, maxRSS, which contains what this process had when it forked.
writeFileSync(
  hook,
  `const fs = require('node:fs');
process.on('exit', () => {
  let kilobytes = process.resourceUsage().maxRSS;
  try {
    kilobytes = /^VmHWM:\\s*(\\d+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1];
  } catch {}
  fs.writeFileSync(${JSON.stringify(peak)}, String(kilobytes));
});`,
);

const key = 'abcdefghijklmnopqrstuvwxyz012345';
const mebibyte = 1024 * 1024;

/** How each command reads FILE, and how much of it at most. */
const commands: readonly (readonly [line: string, most: number])[] = [
  [`encrypt @FILE --key ${key}`, mebibyte],
  [`decrypt @FILE --key ${key}`, mebibyte],
  [`cipher identify @FILE --key ${key}`, mebibyte],
  ['key inspect @FILE', mebibyte],
  [`key wrap ${key} --public-key @FILE`, mebibyte],
  ['key unwrap abcd --private-key FILE', mebibyte],
  ['users import FILE', 4 * mebibyte],
  ['report diff FILE FILE', 8 * mebibyte],
  ['config set secret-key @FILE', mebibyte],
  ['explain @FILE', mebibyte],
];

const contents: Readonly<Record<string, (size: number) => string>> = {
  text: (size) => 'The quick brown fox jumps over the lazy dog. '.repeat(size / 45),
  'bytes that are not UTF-8': (size) => '\xe9\x01'.repeat(size / 2),
  'deep JSON': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'long JSON': (size) => `[${'1,'.repeat(size / 2 - 1)}1]`,
  'JSON of objects': (size) => `[${'{"a":1},'.repeat(size / 8 - 1)}1]`,
  PEM: (size) =>
    `-----BEGIN PRIVATE KEY-----\n${`${'MIIB'.repeat(16)}\n`.repeat(size / 65 - 1)}-----END PRIVATE KEY-----\n`,
};

describe('memory for a large input', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The peak memory of a run in megabytes. */
  async function memoryOf(argv: readonly string[], input?: Uint8Array) {
    const env = { AUTHCLI_CONFIG: join(folder, 'config.json') };
    const running = start(process.execPath, ['--require', hook, bin, ...argv], { env });
    running.child.stdin?.end(input);
    const end = await running.ended;
    return { ...end, megabytes: Number(readFileSync(peak, 'utf8')) / 1000 };
  }

  for (const [line, most] of commands) {
    it(`is below 300 MB: ${line}`, async () => {
      for (const [kind, make] of Object.entries(contents)) {
        for (const size of kind === 'text' ? [50 * mebibyte, most - 100] : [most - 100]) {
          const file = join(folder, `${size}-bytes-of-${kind.replaceAll(' ', '-')}`);
          if (!existsSync(file))
            writeFileSync(file, make(size), { mode: 0o600, encoding: 'latin1' });
          const argv = line.replaceAll('FILE', file).split(' ');
          const { status, stderr, megabytes } = await memoryOf(argv);
          assert.ok(megabytes < 300, `${size} bytes of ${kind}: ${megabytes} MB`);
          assert.ok([0, 1, 2].includes(status ?? -1), `${kind}: ${status} ${stderr}`);
          if (size === 50 * mebibyte) assert.match(stderr, /the limit is .*--max-input/s);
        }
      }
    });
  }

  it('is below 300 MB: analyze, a log of 300 MiB packed with gzip, from a file and a pipe', async () => {
    const member = gzipSync('The quick brown fox jumps over the lazy dog.\n'.repeat(mebibyte / 45));
    const packed = Buffer.concat(Array.from({ length: 300 }, () => member));
    const file = join(folder, 'long.log.gz');
    writeFileSync(file, packed);
    for (const [name, input] of [[file], ['-', packed]] as const) {
      const { stderr, megabytes } = await memoryOf(['analyze', name], input);
      assert.match(stderr, /No traffic of this interface was found/);
      assert.ok(megabytes < 300, `${name}: ${megabytes} MB`);
    }
  });
});

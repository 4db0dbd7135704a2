import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bin, start } from '../support/program.ts';
import { workspace } from './workspace.ts';

const { path, configFile } = workspace();
const hook = path('memory.cjs');
const peak = path('peak');
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

const wrappedLines = (size: number) => `${'MIIB'.repeat(16)}\n`.repeat(size / 65 - 1);
const contents: Readonly<Record<string, (size: number) => string>> = {
  text: (size) => 'The quick brown fox jumps over the lazy dog. '.repeat(size / 45),
  'bytes that are not UTF-8': (size) => '\xe9\x01'.repeat(size / 2),
  'deep JSON': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'long JSON': (size) => `[${'1,'.repeat(size / 2 - 1)}1]`,
  'JSON of objects': (size) => `[${'{"a":1},'.repeat(size / 8 - 1)}1]`,
  PEM: (size) => `-----BEGIN PRIVATE KEY-----\n${wrappedLines(size)}-----END PRIVATE KEY-----\n`,
};

/** The peak memory of a run in megabytes. */
async function memoryOf(argv: readonly string[], input?: Uint8Array) {
  const env = { AUTHCLI_CONFIG: configFile };
  const running = start(process.execPath, ['--require', hook, bin, ...argv], { env });
  running.child.stdin?.end(input);
  const end = await running.ended;
  return { ...end, megabytes: Number(readFileSync(peak, 'utf8')) / 1000 };
}

describe('memory for a large input is below 300 MB', () => {
  for (const [line, most] of commands) {
    it(line, async () => {
      for (const [kind, make] of Object.entries(contents)) {
        for (const size of kind === 'text' ? [50 * mebibyte, most - 100] : [most - 100]) {
          const file = path(`${size}-bytes-of-${kind.replaceAll(' ', '-')}`);
          if (!existsSync(file))
            writeFileSync(file, make(size), { mode: 0o600, encoding: 'latin1' });
          const argv = line.replaceAll('FILE', file).split(' ');
          const { status, stderr, megabytes } = await memoryOf(argv);
          assert.ok(megabytes < 300, `${size} bytes of ${kind}: ${megabytes} MB`);
          assert.ok([0, 1, 2].includes(status ?? -1), `${kind}: ${status} ${stderr}`);
          if (size === 50 * mebibyte) assert.match(stderr, /the limit is /);
        }
      }
    });
  }

  it('analyze, a log of 300 MiB packed with gzip, from a file and a pipe', async () => {
    const member = gzipSync('The quick brown fox jumps over the lazy dog.\n'.repeat(mebibyte / 45));
    const packed = Buffer.concat(Array.from({ length: 300 }, () => member));
    writeFileSync(path('long.log.gz'), packed);
    for (const [name, input] of [[path('long.log.gz')], ['-', packed]] as const) {
      const { stderr, megabytes } = await memoryOf(['analyze', name], input);
      assert.match(stderr, /No traffic of this interface was found/);
      assert.ok(megabytes < 300, `${name}: ${megabytes} MB`);
    }
    const open = await memoryOf(
      ['analyze', '-'],
      Buffer.from(`{"ptn_cd":[${'\n'.repeat(mebibyte)}`),
    );
    assert.ok(open.megabytes < 300, `${open.megabytes} MB`);
  });
});

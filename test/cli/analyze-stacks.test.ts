import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { workspace } from './workspace.ts';

/* One session with twelve planted causes, as real programs logged it (fixtures/logs/stacks/README.md). */

const folder = 'fixtures/logs/stacks';
const { save, read, cli, cliJson } = workspace();
type Cause = readonly [check: string, code: string, ptnCd: string];
const causes: readonly Cause[] = Object.values(
  JSON.parse(readFileSync(`${folder}/causes.json`, 'utf8')),
);
const privateKey = resolve('fixtures/keys/private.pkcs8.pem');

/** The parts of a log: right exchanges, wrong ones, and requests alone. */
const partsOf = (name: string) =>
  readFileSync(`${folder}/${name}`, 'utf8')
    .split(/^=== .*\n/m)
    .slice(1);

const stamp = '2026-11-27T03:04:05';
const lines = (text: string, write: (line: string) => string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => `${write(line)}\n`)
    .join('');
/** What collectors make of the lines of another log. */
const collectors: Readonly<
  Record<string, readonly [log: string, write: (text: string) => string]>
> = {
  'Docker json-file': [
    'express.log',
    (text) =>
      lines(text, (line) =>
        JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: `${stamp}.000000001Z` }),
      ),
  ],
  Kubernetes: [
    'print_r.log',
    (text) => lines(text, (line) => `${stamp}.123456789Z stdout F ${line}`),
  ],
  'journalctl -o json': [
    'spring.log',
    (text) =>
      lines(text, (MESSAGE) =>
        JSON.stringify({ MESSAGE, __REALTIME_TIMESTAMP: '1795748645000000', _PID: '47' }),
      ),
  ],
  'journalctl -o export': [
    'pino.log',
    (text) =>
      lines(text, (line) => `__REALTIME_TIMESTAMP=1795748645000000\n_PID=47\nMESSAGE=${line}\n`),
  ],
  'an export of CloudWatch': [
    'flask.log',
    (text) =>
      JSON.stringify({
        events: text
          .split('\n')
          .map((message) => ({ logStreamName: 's', timestamp: 1795748645000, message })),
      }),
  ],
};
const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
const table = [
  ...logs.map((name) => [name, name, (text: string) => text] as const),
  ...Object.entries(collectors).map(([title, [name, write]]) => [title, name, write] as const),
];

describe('a log by', () => {
  for (const [title, name, write] of table) {
    const [right = '', wrong = '', requests = ''] = partsOf(name);
    const argv = (text: string) => {
      save('app.log', write(text));
      return ['analyze', 'app.log', '--private-key', privateKey];
    };

    it(`${title} shows each of the planted causes, by harm, and no other`, async () => {
      const args = argv(right + wrong);
      const { status, json } = await cliJson([...args, '--report', 'html=app.html']);
      const found = json.findings.map(({ id, diagnosis, first }: never) => [
        id,
        Object(diagnosis).code ?? '',
        Object(first).ptn_cd ?? '',
      ]);
      assert.deepEqual([status, json.failed_exchanges], [1, 14]);
      assert.deepEqual(found.toSorted(), causes.toSorted());
      assert.deepEqual([found[0], json.findings[0].users], [causes[0], 3]);
      const harm = found.map(([id]: Cause) =>
        id.startsWith('signin') || id.startsWith('log') ? 1 : 0,
      );
      assert.deepEqual(harm, harm.toSorted());
      const { stdout } = await cli(args);
      for (const [id, , ptnCd] of causes)
        for (const text of [stdout, read('app.html')])
          assert.ok(text.includes(id) && text.includes(ptnCd));
    });

    it(`${title} shows nothing where all is right, and no success without responses`, async () => {
      const { status, json } = await cliJson(argv(right));
      assert.deepEqual([status, json.exchanges, json.findings], [0, 12, []]);
      assert.equal((await cli(argv(requests))).status, 2);
    });
  }
});

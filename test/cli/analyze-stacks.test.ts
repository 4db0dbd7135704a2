import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { workspace } from './workspace.ts';

/* One session with twelve planted causes, as real programs logged it (fixtures/logs/stacks/README.md). */

const folder = 'fixtures/logs/stacks';
const { save, read, cli, cliJson } = workspace();
type Cause = readonly [check: string, code: string, ptnCd: string];
const planted: Readonly<Record<string, Cause>> = JSON.parse(
  readFileSync(`${folder}/causes.json`, 'utf8'),
);
const analyze = ['analyze', 'app.log', '--private-key', resolve('fixtures/keys/private.pkcs8.pem')];

describe('a log by', () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.log'))) {
    const log = readFileSync(`${folder}/${file}`, 'utf8');
    const [, right = '', wrong = '', requests = ''] = log.split(/^=== .*\n/m);
    // nginx sees the page that is made of an exception, and responds where the application doesn't
    const codes = file.startsWith('nginx') ? ['exception', 'no-response'] : [];
    const causes = Object.entries(planted).map(([name, [id, code, ptnCd]]) => {
      return [id, codes.includes(name) ? 'html-instead-of-json' : code, ptnCd];
    });

    it(`${file.slice(0, -4)} shows each of the planted causes, by harm, and no other`, async () => {
      save('app.log', wrong);
      const { status, json } = await cliJson([...analyze, '--report', 'html=app.html']);
      const found: Cause[] = json.findings.map(({ id, diagnosis, first }: never) => [
        ...[id, Object(diagnosis).code ?? '', Object(first).ptn_cd ?? ''],
      ]);
      assert.deepEqual([status, json.exchanges, json.failed_exchanges], [1, 19, 14]);
      assert.deepEqual(found.toSorted(), causes.toSorted());
      assert.deepEqual([found[0], json.findings[0].users], [causes[0], 3]);
      const harm = found.map(([id]) => (/^(?:signin|log)/.test(id) ? 1 : 0));
      assert.deepEqual(harm, harm.toSorted());
      const { stdout } = await cli(analyze);
      for (const [id = '', , ptnCd = ''] of causes)
        for (const text of [stdout, read('app.html')])
          assert.ok(text.includes(id) && text.includes(ptnCd));
    });

    it(`${file.slice(0, -4)} shows nothing where all is right, and no success without responses`, async () => {
      save('app.log', right);
      const { status, json } = await cliJson(analyze);
      assert.deepEqual([status, json.exchanges, json.findings], [0, 12, []]);
      save('app.log', requests);
      assert.notEqual((await cli(analyze)).status, 0);
    });
  }
});

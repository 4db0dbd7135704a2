import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { application } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-stopped-'));
const { path, read, verify, withEndpoint } = verifierIn(folder);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify that is stopped', () => {
  for (const [code, status] of [
    ['interrupted', 130],
    ['terminated', 143],
  ] as const) {
    it(`exits ${status} with the reports of what ran`, async () => {
      const controller = new AbortController();
      let requests = 0;
      const app = application();
      await withEndpoint(
        async (request) => {
          requests += 1;
          if (requests === 20) controller.abort(new AuthcliError(code, 'Stopped.'));
          return app(request);
        },
        async ({ url }) => {
          const name = `${code}.xml`;
          const argv = ['--json', '--report', `junit=${name}`];
          const result = await verify(url, argv, { signal: controller.signal });
          const document = JSON.parse(result.stdout);
          assert.equal(result.status, status);
          assert.equal(document.error.code, 'interrupted');
          assert.equal(document.interrupted, true);
          assert.deepEqual(violations(document, schema), []);
          assert.ok(document.summary.passed > 3 && document.summary.skipped > 10);
          assert.ok(existsSync(path(name)));
          assert.match(read(name), /<\/testsuites>\n$/);
        },
      );
    });
  }

  it('stops while it waits for a response too, with a report of checks that did not run', async () => {
    const controller = new AbortController();
    let requests = 0;
    await withEndpoint(
      async () => {
        requests += 1;
        if (requests === 2) controller.abort(new AuthcliError('interrupted', 'Stopped.'));
        return { status: 503, headers: {}, body: new Uint8Array() };
      },
      async ({ url }) => {
        const argv = ['--json', '--wait', '1h', '--report', 'json=waiting.json'];
        const result = await verify(url, argv, { signal: controller.signal });
        const document = JSON.parse(result.stdout);
        assert.equal(result.status, 130);
        assert.equal(document.error.code, 'interrupted');
        assert.deepEqual(violations(document, schema), []);
        assert.equal(document.summary.passed, 0);
        assert.equal(JSON.parse(read('waiting.json')).interrupted, true);
      },
    );
  });

  it('prints what ran and the summary, and no line for each check that did not', async () => {
    const controller = new AbortController();
    let requests = 0;
    const app = application();
    await withEndpoint(
      async (request) => {
        requests += 1;
        if (requests === 20) controller.abort(new AuthcliError('interrupted', 'Stopped.'));
        return app(request);
      },
      async ({ url }) => {
        const { stdout } = await verify(url, [], { signal: controller.signal });
        assert.match(stdout, /✓ key-exchange\/wraps-key /);
        assert.doesNotMatch(stdout, / skipped: | skipped for the same reason/);
        assert.match(stdout, /\nThe run was interrupted; the remaining checks were skipped\.\n/);
        assert.match(stdout, /\d+ skipped\.\n$/);
      },
    );
  });
});

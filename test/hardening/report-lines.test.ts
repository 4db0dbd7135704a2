import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startApplication } from '../../src/index.ts';
import { escapeLines } from '../../src/text.ts';
import { workspace } from '../cli/workspace.ts';

const { save, path, read, cli } = workspace();
const forged = '\n::error::forged\r::error::forged\u2028::error::forged\u001b[2J';

/** Fails where a line of the output begins as a text of a file says. */
function assertNoneForged({ stdout, stderr }: { stdout: string; stderr: string }): void {
  const text = `${stdout}\n${stderr}`;
  assert.doesNotMatch(text, /^::error::forged/m);
  assert.equal(escapeLines(text), text);
}

describe('texts of a report file', () => {
  it('forge no line of report diff', async () => {
    const report = (status: string) => {
      const check = { id: `a/b${forged}`, title: forged, status, diagnosis: { code: forged } };
      const others = { ...check, id: `${forged}c`, status: `${status}${forged}` };
      return JSON.stringify({ schema: 'authcli/verify/1', checks: [check, others] });
    };
    save('before.json', report('passed'));
    save('after.json', report('failed'));
    for (const more of [[], ['--verbose'], ['--quiet']]) {
      const found = await cli(['report', 'diff', path('before.json'), path('after.json'), ...more]);
      assert.equal(found.status, 1);
      assert.match(found.stderr, /a\/b/);
      assertNoneForged(found);
    }
  });

  it('forge no line of verify with known failures', async () => {
    await using application = await startApplication({ faults: ['oaep-sha1'] });
    const check = 'key-exchange/wraps-key';
    const known = [{ check, reason: `soon${forged}`, until: '2030-01-01' }];
    save('known.json', JSON.stringify({ schema: 'authcli/expect/1', known_failures: known }));
    const verify = ['verify', '--url', application.url];
    for (const format of ['human', 'github']) {
      const argv = [...verify, '--check', check, '--expect', path('known.json')];
      assertNoneForged(await cli([...argv, '--format', format]));
    }
  });

  it('forge no line of analyze and of the reports that it writes', async () => {
    const bodies = [`ada${forged}`, '` '.repeat(150_000)].flatMap((ptn_cd) => [
      { client_id: 'shop', used_type: '1', ptn_cd, public_key: forged },
      { code: forged, message: forged },
    ]);
    save('app.log', bodies.map((body) => JSON.stringify(body)).join('\n'));
    for (const kind of ['junit', 'markdown', 'html']) {
      const found = await cli(['analyze', path('app.log'), '--report', `${kind}=${path(kind)}`]);
      assert.equal(found.status, 1, found.stderr);
      assertNoneForged(found);
      assertNoneForged({ stdout: read(kind).replace(/&#1[03];/g, '\n'), stderr: '' });
    }
  });

  it('forge no line of explore --replay', async () => {
    await using application = await startApplication();
    const step = { operation: forged, user: 0 };
    for (const schema of ['authcli/explore/1', forged]) {
      const replay = { users: [forged], rounds: [[step]] };
      save('saved.json', JSON.stringify({ schema, seed: forged, failures: [{ replay }] }));
      const argv = ['explore', '--url', application.url, '--replay', path('saved.json')];
      const found = await cli(argv);
      assert.equal(found.status, 2);
      assertNoneForged(found);
    }
  });
});

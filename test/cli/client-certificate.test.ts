import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-identity-'));
const configFile = join(folder, 'config.json');
const file = join(folder, 'identity.pem');
writeFileSync(file, '-----BEGIN X-----\n', { mode: 0o600 });

describe('half a client certificate', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [given, missing] of [
    ['--cert', '--cert-key'],
    ['--cert-key', '--cert'],
  ] as const) {
    it(`names ${missing} beside ${given}`, async () => {
      const argv = ['simulate-signup', '--url', 'https://127.0.0.1:1/', given, file];
      const { status, stderr } = await run(argv, { configFile });
      assert.equal(status, 2);
      assert.match(stderr, new RegExp(`error: ${given} needs ${missing}:`));
      assert.match(stderr, new RegExp(`Add ${missing} FILE`));
    });
  }
});

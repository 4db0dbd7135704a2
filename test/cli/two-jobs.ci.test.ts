import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { shell } from '../support/program.ts';

const home = mkdtempSync(join(tmpdir(), 'authcli-home-'));
after(() => rmSync(home, { recursive: true, force: true }));

it('two jobs with one home and one folder of reports lose nothing of each other', async () => {
  const ran = await shell(
    `unset AUTHCLI_CONFIG XDG_CONFIG_HOME; mkdir "$HOME/reports" && cd "$HOME" || exit
    job() {
      $authcli emulate app --quiet -- $authcli simulate-signup --quiet --ptn-cd "$1" &&
      $authcli emulate app --quiet -- $authcli verify --quiet --check key-exchange/answers-success \\
        --report 'junit=reports/{name}.xml'
    }
    job alice >/dev/null & job bob >/dev/null & wait -n && wait -n && $authcli users list --json`,
    { HOME: home },
  );
  assert.deepEqual([ran.status, ran.stderr], [0, '']);
  const users: readonly { readonly ptn_cd: string }[] = JSON.parse(ran.stdout).users;
  assert.deepEqual(users.map((user) => user.ptn_cd).sort(), ['alice', 'bob']);
  assert.equal(readdirSync(join(home, 'reports')).length, 2);
});

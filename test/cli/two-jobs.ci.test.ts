import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shell } from '../support/program.ts';

it('two jobs with one home and one folder of reports lose nothing of each other', async () => {
  const { status, stdout, stderr } = await shell(`
    unset AUTHCLI_CONFIG XDG_CONFIG_HOME; export HOME=$(mktemp -d); cd && mkdir reports || exit
    job() {
      $authcli emulate app --quiet -- $authcli simulate-signup --quiet --ptn-cd "$1" &&
      $authcli emulate app --quiet -- $authcli verify --quiet --check key-exchange/answers-success \
        --report 'junit=reports/{name}.xml'
    }
    job alice >out & job bob >out & wait -n && wait -n && ls reports && $authcli users list
    status=$?; rm -r "$HOME"; exit $status`);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^(?:127-0-0-1-\d+-callback\.xml\n){2}.*alice.*bob/s);
});

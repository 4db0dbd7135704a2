import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { callCases, returning } from '../../support/decryption-calls.ts';

const program = `
$found = [];
foreach (json_decode(stream_get_contents(STDIN), true) as ['call' => $call, 'key' => $key, 'payload' => $payload]) {
  $found[] = (function () use ($call, $key, $payload) { return eval($call); })();
}
echo json_encode($found);
`;

describe('the calls for PHP', () => {
  const cases = callCases('php');
  const input = JSON.stringify(cases.map((one) => ({ ...one, call: returning(one.call) })));
  const { stdout, stderr } = spawnSync('php', ['-r', program], { input, encoding: 'utf8' });
  for (const [index, { cipher, call, plaintext }] of cases.entries()) {
    it(`decrypt ${cipher}`, () => {
      const found = JSON.parse(stdout || JSON.stringify([stderr]));
      assert.equal(found[index], plaintext, call);
    });
  }
});

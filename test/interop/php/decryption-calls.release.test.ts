import { spawnSync } from 'node:child_process';
import { callCases, returning, testCalls } from '../../support/decryption-calls.ts';

const program = `
$found = [];
foreach (json_decode(stream_get_contents(STDIN), true) as ['call' => $call, 'key' => $key, 'payload' => $payload]) {
  $found[] = (function () use ($call, $key, $payload) { return eval($call); })();
}
echo json_encode($found);
`;

testCalls('PHP', callCases('php'), (cases) => {
  const input = JSON.stringify(cases.map((one) => ({ ...one, call: returning(one.call) })));
  const { stdout, stderr } = spawnSync('php', ['-r', program], { input, encoding: 'utf8' });
  return { texts: JSON.parse(stdout || '[]'), stderr };
});

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import type { Diagnosis, Stack } from '../../src/errors.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { authcli, edit, scratchFolder } from '../support/example-application.ts';
import { freePort } from '../support/free-port.ts';

/*
 * Applications that refuse in the same words whatever went wrong, each with a mistake that people make: their log shows
 * it, and without that an experiment does, or nothing is said to be the cause. Where a fix with code is printed, that
 * code takes the place of the mistake, and the application passes.
 */

const programs: Record<string, readonly [Stack, file: string, command: string]> = {
  flask: ['python', 'fixtures/refusals/flask_app.py', 'exec python3 flask_app.py'],
  express: ['node', 'fixtures/refusals/express-app.mjs', 'exec node express-app.mjs'],
  php: ['php', 'fixtures/refusals/strict.php', 'exec php -S 127.0.0.1:$PORT strict.php'],
  java: [
    'java',
    'fixtures/refusals/Bound.java',
    'exec java -cp /usr/share/java/gson.jar Bound.java',
  ],
  go: [
    'go',
    'fixtures/refusals/structs.go',
    'GO111MODULE=off go build -o app structs.go && exec ./app',
  ],
  ruby: ['ruby', 'fixtures/refusals/rack.rb', 'exec ruby rack.rb'],
  django: ['python', 'fixtures/refusals/django_app.py', 'exec python3 django_app.py'],
  rails: ['ruby', 'fixtures/refusals/rails_app.rb', 'exec ruby rails_app.rb'],
};
// Those with a sign-in too.
const examples: Readonly<Record<string, readonly [command: string, file: string]>> = JSON.parse(
  readFileSync('fixtures/opaque-examples.json', 'utf8'),
);
for (const [name, [command, file]] of Object.entries(examples))
  programs[`examples/${name}`] = [name as Stack, `examples/${name}/${file}`, command];
const scratch = scratchFolder();
const secretKey = 'a-secret-key-of-the-tests';

interface Output {
  readonly ok: boolean;
  readonly error?: Diagnosis;
  readonly checks?: readonly { readonly diagnosis?: Diagnosis }[];
}

/** Runs a command against the application with a change, which writes to a log of its own where it is silent. */
async function run(
  words: readonly string[],
  program: string,
  change: readonly [from: string, to: string],
  { refusal = '400 {"code":"9000","message":"refused"}', isSilent = false },
) {
  const [stack = 'node', file = '', command = ''] = programs[program] ?? [];
  const cwd = mkdtempSync(join(scratch, 'copy-'));
  cpSync(dirname(file), cwd, { recursive: true });
  edit(join(cwd, basename(file)), [change]);
  const [port, authPort] = [await freePort(), await freePort()];
  const app = isSilent ? `(${command}) >silent.log 2>&1` : command;
  const account = `CLIENT_ID=my-shop SECRET_KEY=${secretKey} AUTH_URL=http://127.0.0.1:${authPort}`;
  const line = `export PORT=${port} REFUSAL='${refusal}' DATA=users ${account}; ${app}`;
  const url = `http://127.0.0.1:${port}`;
  const signin = `--signin-url ${url}/sign-in --auth-port ${authPort} --secret-key ${secretKey} --patience 14s`;
  const others = program.startsWith('examples/') ? signin.split(' ') : [];
  const argv = [...words, ...others, '--url', `${url}/callback`, '--app', line, '--stack', stack];
  const { output } = await authcli<Output>(argv, cwd);
  const { error, checks = [] } = output;
  const diagnosis = checks.find((check) => check.diagnosis)?.diagnosis ?? error;
  return { ok: output.ok, diagnosis, call: diagnosis?.calls[stack] };
}

function rowsOf(name: string, count: number) {
  const rows = readFileSync(join('fixtures/refusals', name), 'utf8').trimEnd().split('\n');
  return sampled(rows, count).map((row) => row.replaceAll('{line}', '\n').split('\t'));
}

describe(`a refusal in words that say nothing, drawn by ${sampleSeed}`, { concurrency: 4 }, () => {
  const signUp = ['simulate-signup'];
  for (const [program = '', from = '', to = '', refusal, cause = '', shown] of rowsOf(
    'refusals.tsv',
    10,
  )) {
    it(`of ${program}: ${to}`, { skip: notInstalled(basename(program)) }, async () => {
      const logged = await run(signUp, program, [from, to], { refusal });
      assert.match(logged.diagnosis?.message ?? '', new RegExp(cause));
      const how = { refusal, isSilent: true };
      const probed = await run([...signUp, '--probe'], program, [from, to], how);
      const { confidence, message, calls, evidence } = probed.diagnosis ?? {};
      const { experiment, fitting_cipher: cipher = message } = evidence ?? {};
      if (shown) assert.match(String(experiment ?? cipher), new RegExp(shown));
      else assert.deepEqual([confidence, calls], [undefined, {}], message);
    });
  }
});

/** The call as the last statement of a function returns it. */
function returned(call: string): string {
  const at = call.lastIndexOf('; ') + 1;
  return `${call.slice(0, at)} return ${call.slice(at).trim()};`;
}

describe(`the printed code, drawn by ${sampleSeed}`, { concurrency: 4 }, () => {
  for (const [program = '', from = '', to = '', fixed = '', flags = '', setting] of rowsOf(
    'fixes.tsv',
    12,
  )) {
    it(`makes ${program} pass with ${to}`, { skip: notInstalled(basename(program)) }, async () => {
      const words = flags.startsWith('verify') ? flags.split(' ') : ['simulate-signup'];
      const isSilent = flags === '--probe';
      const argv = isSilent ? [...words, flags] : words;
      const { diagnosis, call = '' } = await run(argv, program, [from, to], { isSilent });
      if (setting) assert.ok(diagnosis?.hint.includes(setting), diagnosis?.message);
      else assert.notEqual(call, '', diagnosis?.message);
      const code = call.replace(/ +(?:\/\/|#) .*$/, '');
      const applied = fixed
        .replace('{call}', () => code)
        .replace('{Django}', () => /Django: ([^;]+)/.exec(call)?.[1] ?? '')
        .replace('{returning}', () => returned(code));
      const { ok, diagnosis: left } = await run(argv, program, [from, applied], { isSilent });
      assert.ok(ok, `${applied}: ${left?.message}`);
    });
  }
});

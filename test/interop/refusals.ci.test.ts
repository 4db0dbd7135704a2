import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { authcli, edit, scratchFolder } from '../support/example-application.ts';
import { freePort } from '../support/free-port.ts';

/*
 * Applications that refuse in the same words whatever went wrong, each with a mistake that people make: their log shows
 * it, and without that an experiment does, or nothing is said to be the cause.
 */

const programs: Readonly<Record<string, readonly [file: string, command: string]>> = {
  flask: ['flask_app.py', 'exec python3 flask_app.py'],
  express: ['express-app.mjs', 'exec node express-app.mjs'],
  php: ['strict.php', 'exec php -S 127.0.0.1:$PORT strict.php'],
  java: ['Bound.java', 'exec java -cp /usr/share/java/gson.jar Bound.java'],
  go: ['structs.go', 'GO111MODULE=off go build -o app structs.go && exec ./app'],
  ruby: ['rack.rb', 'exec ruby rack.rb'],
};
const rows = readFileSync('fixtures/refusals/refusals.tsv', 'utf8').trimEnd().split('\n');
const scratch = scratchFolder();

describe(`a refusal in words that say nothing, drawn by ${sampleSeed}`, () => {
  for (const row of sampled(rows, 20)) {
    const [program = '', from = '', to = '', refusal = '', cause = '', shown = ''] =
      row.split('\t');
    const [file = '', command = ''] = programs[program] ?? [];
    it(`of ${program}: ${to}`, { skip: notInstalled(program) }, async () => {
      const cwd = mkdtempSync(join(scratch, 'copy-'));
      cpSync(join('fixtures/refusals', file), join(cwd, file));
      edit(join(cwd, file), [[from, to]]);
      const port = await freePort();
      const refused = async (app: string, ...flags: readonly string[]) => {
        const line = `export PORT=${port} REFUSAL='${refusal}'; ${app}`;
        const url = `http://127.0.0.1:${port}/callback`;
        const argv = ['simulate-signup', url, '--app', line, ...flags];
        return (await authcli<{ error: Diagnosis }>(argv, cwd)).output.error;
      };
      assert.match((await refused(command)).message, new RegExp(cause));
      const { confidence, message, calls, evidence } = await refused(
        `(${command}) >silent.log 2>&1`,
        '--probe',
      );
      const { experiment, fitting_cipher: cipher = message } = evidence ?? {};
      if (shown === '') assert.deepEqual([confidence, calls], [undefined, {}], message);
      else assert.match(String(experiment ?? cipher), new RegExp(shown));
    });
  }
});

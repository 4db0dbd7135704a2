import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isThorough } from '../support/draws.ts';
import { commands, type ReceivingCommand } from './hostile/commands.ts';
import { judge, runHere, runProcess } from './hostile/ended.ts';
import { type HostileResponse, startPeer } from './hostile/response.ts';
import { responses } from './hostile/responses.ts';

/** CI tries every fourth response with a command in each of two ways, before a release each with six. */
const [every, asJson, onTerminal, processEvery] = isThorough ? [1, 4, 2, 4] : [4, 1, 1, 10];

const folder = mkdtempSync(join(tmpdir(), 'authcli-hostile-'));
const files = {
  privateKeyFile: join(folder, 'private.pem'),
  configFile: join(folder, 'config.json'),
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
writeFileSync(files.privateKeyFile, pem, { mode: 0o600 });
after(() => rmSync(folder, { recursive: true, force: true }));

/** Gives the response to a command; returns what is wrong with how it ended. */
type Trial = (argv: readonly string[], ...about: About) => Promise<readonly string[]>;
type About = readonly [response: HostileResponse, command: ReceivingCommand];

const inJson: Trial = async (argv, ...about) =>
  judge(await runHere([...argv, '--json'], files.configFile), ...about, true);

const asProcess: Trial = async (argv, ...about) =>
  judge(
    await runProcess([...argv, '--json'], { AUTHCLI_CONFIG: files.configFile }),
    ...about,
    true,
  );

let archives = 0;

/** With everything that it can show; the archive has to be JSON. */
const shown: Trial = async (argv, ...about) => {
  archives += 1;
  const archive = join(folder, `${archives}.har`);
  const shows = ['--trace', '--curl', '--verbose', '--har', archive];
  const ended = await runHere([...argv, ...shows], files.configFile, true);
  const { log } = JSON.parse(readFileSync(archive, 'utf8'));
  const isEmpty = log.entries.length === 0 && ended.status !== 3; // doctor sends nothing then
  return [...judge(ended, ...about, false), ...(isEmpty ? ['an empty archive'] : [])];
};

/** Which commands get the response of that index, and how; the commands take turns. */
function plan(index: number): readonly (readonly [Trial, ReceivingCommand | undefined])[] {
  const turns = (trial: Trial, first: number, count: number) =>
    Array.from({ length: count }, (_, step) => {
      return [trial, commands[(first + step) % commands.length]] as const;
    });
  return [
    ...turns(inJson, index, asJson),
    ...turns(shown, 3 * index, onTerminal),
    ...turns(asProcess, index / processEvery, index % processEvery === 0 ? 1 : 0),
  ];
}

describe('a hostile response', { concurrency: 4 }, () => {
  const chosen = responses.filter((_, index) => index % every === 0);
  for (const [index, response] of chosen.entries()) {
    it(response.name, async () => {
      const server = await startPeer(response);
      try {
        for (const [trial, command] of plan(index)) {
          assert.ok(command);
          const limit = ['--timeout', response.endless ? '300ms' : '120s'];
          const more = [...(response.argv ?? []), ...limit, '--no-input', '--no-color'];
          const argv = [...command.argv(server.url.href, files), ...more];
          assert.deepEqual(await trial(argv, response, command), [], command.name);
        }
      } finally {
        await server.close();
      }
    });
  }
});

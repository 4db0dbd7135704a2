import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type RunEnvironment, run } from '../support/run.ts';

type Changes = Partial<RunEnvironment>;

/** A folder of a test file's own, and command lines that run in it, with its settings. */
export function workspace() {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const configFile = path('config.json');
  const cli = (argv: readonly string[], changes: Changes = {}) =>
    run(argv, { configFile, cwd: folder, ...changes });
  let configs = 0;
  return {
    folder,
    path,
    configFile,
    /** Settings that no other run has. */
    freshConfig: () => path(`${++configs}/config.json`),
    save: (name: string, content: string | Uint8Array) => writeFileSync(path(name), content),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    cli,
    /** With `--json`, and the document that it printed. */
    cliJson: async (argv: readonly string[], changes?: Changes) => {
      const result = await cli([...argv, '--json'], changes);
      return { ...result, json: JSON.parse(result.stdout) };
    },
  };
}

/** A check of a document against schemas/NAME-1.json. */
export const schemaOf = (name: string) =>
  JSON.parse(readFileSync(`schemas/${name}-1.json`, 'utf8'));

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { application, type Endpoint, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
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
  const verify = (url: string | URL, argv: readonly string[], changes?: Changes) =>
    cli(['verify', '--url', String(url), ...argv], changes);
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
    verify,
    /** Verifies the emulated application with these faults. */
    verifyApplication: (faults: readonly string[], argv: readonly string[], changes?: Changes) =>
      withEndpoint(application(...faults), ({ url }) => verify(url, argv, changes)),
  };
}

export async function withEndpoint<T>(
  handle: Parameters<typeof serve>[0],
  use: (endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const endpoint = await serve(handle);
  return use(endpoint).finally(() => endpoint.close());
}

export const schemaOf = (name: string) =>
  JSON.parse(readFileSync(`schemas/${name}-1.json`, 'utf8'));

/** The document in a text, which schemas/NAME-1.json describes. */
export function documentOf(text: string, name = 'verify') {
  const document = JSON.parse(text);
  assert.deepEqual(violations(document, schemaOf(name)), []);
  return document;
}

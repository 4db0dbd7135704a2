import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';

/*
 * The action for other people's pipelines. There is no runner of GitHub where the tests run: its
 * steps are run by a shell, against the emulated application.
 */

type Texts = Readonly<Record<string, string>>;
type Step = { readonly id: string; readonly env: Texts; readonly run: string };

const {
  inputs,
  runs,
}: {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
} = parse(readFileSync('action.yml', 'utf8'));
const { steps } = runs;
const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c'];
const root = resolve('.');
const folder = mkdtempSync(join(tmpdir(), 'authcli-action-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the steps as a runner does, in `cwd` and with `tools` first on the PATH; ends with the first that fails. */
function runAction(given: Texts, cwd: string, tools = '') {
  const outputs = new Map<string, string>();
  let log = '';
  for (const { id, env, run } of steps) {
    const file = join(folder, `output-${id}`);
    writeFileSync(file, '');
    const { status, stdout, stderr } = spawnSync('bash', [...shell, run], {
      cwd,
      encoding: 'utf8',
      // Nothing else: a runner has none of the variables of these tests.
      env: {
        HOME: folder,
        AUTHCLI_CONFIG: join(folder, 'config.json'),
        NO_PROXY: '127.0.0.1',
        ...Object.fromEntries(
          Object.entries(env).map(([name, value]) => [name, evaluate(value, given, outputs)]),
        ),
        PATH: [tools, process.env.PATH].filter(Boolean).join(delimiter),
        GITHUB_ACTION_PATH: root,
        GITHUB_OUTPUT: file,
        GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
        RUNNER_TEMP: folder,
      },
    });
    log += stdout + stderr;
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const [name = '', ...value] = line.split('=');
      outputs.set(`${id}.${name}`, value.join('='));
    }
    if (status !== 0) return { status, outputs, log };
  }
  return { status: 0, outputs, log };
}

/** The value of `${{ inputs.x }}` and `${{ steps.x.outputs.y }}`. */
function evaluate(expression: string, given: Texts, outputs: ReadonlyMap<string, string>): string {
  return expression.replace(/\$\{\{ (\S+) \}\}/g, (_, path: string) => {
    const [kind, name = '', , output] = path.split('.');
    if (kind === 'steps') return outputs.get(`${name}.${output}`) ?? '';
    assert.ok(name in inputs, `${path} is not an input`);
    return given[name] ?? inputs[name]?.default ?? '';
  });
}

/** A project that has authcli among its packages. */
function newProject(name: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(root, 'bin/authcli.js'), join(project, 'node_modules/.bin/authcli'));
  return project;
}

describe('the GitHub Action', () => {
  const emulators: ChildProcess[] = [];
  const urls = { right: '', wrong: '' };

  before(async () => {
    urls.right = await startEmulator();
    urls.wrong = await startEmulator('--fault', 'oaep-sha1', '--fault', 'text-content-type');
  });
  after(() => {
    for (const child of emulators) child.kill();
  });

  async function startEmulator(...argv: string[]): Promise<string> {
    const command = ['bin/authcli.js', 'emulate', 'app', '--json', ...argv];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    emulators.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return `${JSON.parse(line.toString()).url}/callback`;
  }

  it('takes what its description says, runs its own checkout, and reads no input as shell code', () => {
    const names = 'args html json junit markdown requirements url version working-directory';
    assert.equal(Object.keys(inputs).sort().join(' '), names);
    assert.equal(inputs.version?.default, 'action');
    assert.equal(steps.map(({ id }) => id).join(' '), 'install verify');
    for (const { run } of steps) assert.doesNotMatch(run, /\$\{\{/);
  });

  it('passes a right endpoint, prints the counts and writes the reports', () => {
    const project = newProject('right');
    const given = {
      url: urls.right,
      version: 'installed',
      requirements: '1',
      args: "--check 'key-exchange/*'\n--seed 'a b'",
      html: 'authcli.html',
      junit: 'authcli.xml',
      markdown: 'authcli.md',
    };
    const { status, outputs, log } = runAction(given, project);
    assert.equal(status, 0, log);
    assert.equal(outputs.get('verify.status'), '0');
    assert.ok(Number(outputs.get('verify.passed')) > 10);
    assert.equal(outputs.get('verify.failed'), '0');
    assert.match(readFileSync(join(project, 'authcli.html'), 'utf8'), /<!doctype html>[\s\S]*a b/);
    assert.match(readFileSync(join(project, 'authcli.xml'), 'utf8'), /^<\?xml/);
    assert.match(readFileSync(join(project, 'authcli.md'), 'utf8'), /^## authcli verify/);
  });

  it('fails on a wrong one, with annotations, the summary and the same outputs', () => {
    const given = { url: urls.wrong, version: 'installed', json: 'authcli.json' };
    const project = newProject('wrong');
    const { status, outputs, log } = runAction(given, project);
    assert.equal(status, 1, log);
    assert.match(log, /^::error title=key-exchange\/wraps-key::/m);
    assert.match(log, /^::warning title=protocol\/json-content-type::/m);
    assert.equal(outputs.get('verify.status'), '1');
    assert.ok(Number(outputs.get('verify.failed')) > 0);
    assert.equal(outputs.get('verify.warned'), '1');
    assert.match(readFileSync(join(folder, 'summary.md'), 'utf8'), /key-exchange\/wraps-key/);
    const { summary } = JSON.parse(readFileSync(join(project, 'authcli.json'), 'utf8'));
    assert.equal(String(summary.failed), outputs.get('verify.failed'));
  });

  it('ends as authcli ends, and runs no argument as shell code', () => {
    const project = newProject('ends');
    const code = "--seed '$(touch x); touch x' --check protocol/tls";
    for (const [given, expected] of [
      [{ url: 'http://127.0.0.1:9/callback' }, 3],
      [{ args: '--check key-exchange/nothing' }, 2],
      [{ args: "--check 'key" }, 2],
      [{ args: code }, 0],
    ] as const) {
      const all = { url: urls.right, version: 'installed', ...given };
      const { status, log } = runAction(all, project);
      assert.equal(status, expected, log);
      assert.equal(existsSync(join(project, 'x')), false);
    }
  });

  it('builds its own checkout, without scripts of packages and without a name of the registry', () => {
    const tools = join(folder, 'tools');
    mkdirSync(tools);
    // In the place of npm: prints where it is started and with what. `.ci/action` runs the real one.
    const npm = '#!/usr/bin/env bash\necho "$PWD: npm $*"';
    writeFileSync(join(tools, 'npm'), npm, { mode: 0o755 });
    const given = { url: urls.right, args: '--check protocol/tls' };
    const { status, log } = runAction(given, folder, tools);
    assert.equal(status, 0, log);
    const started = log.split('\n').filter((line) => line.includes(': npm '));
    const install = 'npm ci --include=dev --ignore-scripts --no-audit --no-fund';
    assert.deepEqual(started, [`${root}: ${install}`, `${root}: npm run build`]);
  });

  it('refuses what is not installed, and every version but its own', () => {
    for (const [version, expected] of [
      ['installed', /node_modules\/\.bin\/authcli is not in/],
      ['0.1.0', /takes "action" or "installed"/],
      ['--global', /takes "action" or "installed"/],
    ] as const) {
      const { status, log } = runAction({ url: urls.right, version }, folder);
      assert.equal(status, 2);
      assert.match(log, /^::error title=authcli::/m);
      assert.match(log, expected);
    }
  });
});

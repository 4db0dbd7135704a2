import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/*
 * Reads action.yml and runs its steps with a shell, as a runner of GitHub would. Of YAML it reads
 * what is in that file.
 */

const action = readFileSync('action.yml', 'utf8');

/** The inputs of the action with their defaults. */
export const inputs: ReadonlyMap<string, string | undefined> = new Map(
  [...section(action, 'inputs').matchAll(/^ {2}([a-z-]+):\n((?: {4}.*\n)+)/gm)].map(
    ([, name = '', body = '']) => [
      name,
      /^ {4}default: ?(?:'(.*)'|(.*))$/m.exec(body)?.slice(1).join(''),
    ],
  ),
);

/** The text below a key at the left margin of a YAML file. */
export function section(text: string, key: string): string {
  return new RegExp(`^${key}:\\n((?:[ \\n].*\\n?)+)`, 'm').exec(text)?.[1] ?? '';
}

/** One step of the action, as far as it is used here. */
export interface Step {
  readonly id: string;
  readonly env: ReadonlyMap<string, string>;
  readonly run: string;
}

export const steps: readonly Step[] = action
  .split(/^ {4}- name: .*$/m)
  .slice(1)
  .map((text) => ({
    id: /^ {6}id: (.*)$/m.exec(text)?.[1] ?? '',
    env: new Map(
      [...text.matchAll(/^ {8}([A-Z_]+): (.*)$/gm)].map((m) => [m[1] ?? '', m[2] ?? '']),
    ),
    run: /^ {6}run: (.*)$/m.exec(text)?.[1] ?? '',
  }));

/** Where a runner runs the action. */
export interface Runner {
  /** For temporary files of the run. */
  readonly folder: string;
  readonly cwd: string;
  /** The first folder on the PATH. */
  readonly tools?: string;
}

/** Runs the steps of the action as a runner does; ends with the first that fails. */
export async function runAction(given: Readonly<Record<string, string>>, runner: Runner) {
  const { folder, cwd, tools } = runner;
  const outputs = new Map<string, string>();
  let log = '';
  for (const { id, env, run } of steps) {
    const file = join(folder, `output-${id}`);
    writeFileSync(file, '');
    const values = [...env].map(([name, value]) => [name, evaluate(value, given, outputs)]);
    const { status, text } = await bash(run, cwd, {
      HOME: folder,
      AUTHCLI_CONFIG: join(folder, 'config.json'),
      NO_PROXY: '127.0.0.1',
      ...Object.fromEntries(values),
      PATH: [tools, process.env.PATH].filter(Boolean).join(delimiter),
      GITHUB_ACTION_PATH: resolve('.'),
      GITHUB_OUTPUT: file,
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      RUNNER_TEMP: folder,
    });
    log += text;
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const [name = '', ...value] = line.split('=');
      outputs.set(`${id}.${name}`, value.join('='));
    }
    if (status !== 0) return { status, outputs, log };
  }
  return { status: 0, outputs, log };
}

/** The value of `${{ inputs.x }}` and `${{ steps.x.outputs.y }}`. */
function evaluate(
  expression: string,
  given: Readonly<Record<string, string>>,
  outputs: ReadonlyMap<string, string>,
): string {
  return expression.replace(/\$\{\{ (\S+) \}\}/g, (_, path: string) => {
    const [kind, name = '', , output] = path.split('.');
    if (kind === 'steps') return outputs.get(`${name}.${output}`) ?? '';
    assert.ok(inputs.has(name), `${path} is no input`);
    return given[name] ?? inputs.get(name) ?? '';
  });
}

async function bash(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status: status ?? 255, text };
}

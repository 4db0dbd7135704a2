import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { manifest } from '../scripts/published.ts';
import { hostPlatform, nodeVersion } from '../scripts/release/node.ts';
import { behavesAsInstalled, type Command } from './bin.ts';
import { connectToProgram, resourceTexts } from './cli/mcp/client.ts';
import { copies, instruction, stages } from './support/dockerfile.ts';
import { type Ended, start } from './support/program.ts';

/*
 * The executable of a release for this machine, and the container image with it. It is built twice, at two places:
 * by the steps of the Dockerfile, from what these copy, and by `npm run release` in a copy of the clone. No Node is
 * on the PATH of what is run here. There is no Docker engine: the image is a folder, entered by chroot.
 */

mkdirSync('test-artifacts', { recursive: true });
const folder = mkdtempSync(resolve('test-artifacts', 'executable-'));
const name = `${manifest.name}-${manifest.version}-${hostPlatform()}`;
const [image, docker, clone] = [
  join(folder, 'image'),
  join(folder, 'docker'),
  join(folder, 'a/clone'),
];
// Folders whose names mean something in a URL.
const installed = join(folder, 'with blank #1 %20', name);
const executable = join(installed, 'bin/authcli');
const noNode = join(folder, 'no-node');
const [build = [], last = []] = stages;

before(async () => {
  for (const path of [docker, clone, noNode, join(installed, '..')])
    mkdirSync(path, { recursive: true });
  await Promise.all([buildAsDockerfile(), buildInClone()]);
  const archive = join(clone, 'release', `${name}.tar.gz`);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', join(installed, '..')]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the steps of the first stage; packages are linked, not installed again. */
async function buildAsDockerfile(): Promise<void> {
  for (const { sources } of copies(build))
    for (const source of sources) cpSync(source, join(docker, source), { recursive: true });
  for (const line of build.filter((found) => found.startsWith('RUN '))) {
    const command = line.slice(4).replace(/ \/image$/, ` ${image}`);
    if (command.startsWith('npm ci ')) linkPackages(docker);
    else await promisify(execFile)('sh', ['-c', command], { cwd: docker });
  }
}

async function buildInClone(): Promise<void> {
  const files = ['package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json', 'LICENSE'];
  const built = ['dist', 'THIRD_PARTY_NOTICES'];
  const published = manifest.files.filter((path) => !/^!/.test(path) && !built.includes(path));
  for (const path of ['package.json', 'README.md', 'scripts', 'src', ...files, ...published])
    cpSync(path, join(clone, path), { recursive: true });
  linkPackages(clone);
  const args = ['run', '--silent', 'release', '--', 'package', hostPlatform()];
  await promisify(execFile)('npm', args, { cwd: clone });
}

function linkPackages(target: string): void {
  assert.equal(spawnSync('cp', ['-al', 'node_modules', target]).status, 0);
}

function sums(path: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(path, 'release/SHA256SUMS'), 'utf8').trim().split('\n');
  return new Map(lines.map((line) => line.split('  ').reverse() as [string, string]));
}

/** Runs the executable where nothing of this machine is known but a home. */
async function authcli(...argv: readonly string[]): Promise<Ended> {
  const args = ['-i', `PATH=${noNode}`, `HOME=${join(folder, 'home')}`, executable, ...argv];
  const running = start('env', args, { cwd: noNode });
  running.child.stdin?.end();
  return running.ended;
}

async function stdoutOf(...argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await authcli(...argv);
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('a release', () => {
  it('is the same from two builds at different places', () => {
    const [one, other] = [sums(docker), sums(clone)];
    assert.deepEqual([...one.keys()].sort(), [`${name}.cdx.json`, `${name}.tar.gz`]);
    for (const [file, sum] of one) assert.equal(sum, other.get(file), file);
    const published = `${manifest.name}-${manifest.version}`;
    const files = [
      `${name}.cdx.json`,
      `${name}.tar.gz`,
      `${published}.cdx.json`,
      `${published}.tgz`,
    ];
    assert.deepEqual([...other.keys()], files);
  });

  it('passes sha256sum --check, and fails it once a byte is another', () => {
    const cwd = join(clone, 'release');
    const check = (text: string) =>
      spawnSync('sha256sum', ['--check', '-'], { cwd, input: text }).status;
    const text = readFileSync(join(cwd, 'SHA256SUMS'), 'utf8');
    assert.equal(check(text), 0);
    assert.equal(check(text.replace(/^./, (first) => (first === '0' ? '1' : '0'))), 1);
  });

  it('has the program, manual pages, licences and the bill of materials in its archive', async () => {
    assert.deepEqual(readdirSync(join(installed, 'share/man/man1')), readdirSync('dist/man'));
    assert.match(readFileSync(join(installed, 'LICENSE.node'), 'utf8'), /Node\.js is licensed/);
    for (const file of ['LICENSE', 'THIRD_PARTY_NOTICES'])
      assert.equal(readFileSync(join(installed, file), 'utf8'), readFileSync(file, 'utf8'));
    const bill = readFileSync(join(installed, 'sbom.cdx.json'), 'utf8');
    assert.equal(bill, readFileSync(join(clone, 'release', `${name}.cdx.json`), 'utf8'));
    assert.equal(
      await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(bill),
      null,
    );
    const { components, dependencies } = JSON.parse(bill);
    const node = `node-${hostPlatform()}@${nodeVersion}`;
    const found = components.find((each: Record<string, unknown>) => each['bom-ref'] === node);
    assert.equal(found.cpe, `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`);
    assert.ok(dependencies[0].dependsOn.includes(node));
  });

  it('names no folder of the machine that built it', () => {
    const bytes = readFileSync(executable);
    for (const path of [clone, docker, resolve('.')])
      assert.equal(bytes.includes(path), false, path);
  });
});

describe('the executable', () => {
  behavesAsInstalled([executable], { variables: { PATH: noNode }, keepsCode: true });

  it('prints help, and exits 2 for mistakes', async () => {
    assert.match(await stdoutOf('verify', '--help'), /^Usage: authcli verify/);
    for (const argv of [['--bogus'], ['bogus'], ['help', 'bogus'], ['key', 'wrap', '--jsn']])
      assert.equal((await authcli(...argv)).status, 2, argv.join(' '));
  });

  it('exports the files that it contains', async () => {
    assert.equal(await stdoutOf('openapi'), readFileSync('schemas/openapi.yaml', 'utf8'));
    const out = join(folder, 'export');
    await stdoutOf('load', 'export', '--url', 'http://localhost:8080/callback', '--out', out);
    const { signUp } = await import(pathToFileURL(join(out, 'processor.mjs')).href);
    assert.equal(typeof signUp, 'function');
  });

  it('serves agents, with every text', async (context) => {
    const { client } = await connectToProgram(context, [executable], {
      cwd: folder,
      env: { PATH: noNode },
    });
    assert.ok((await client.listTools()).tools.length > 0);
    const texts = await resourceTexts(client);
    assert.ok(texts.size > 0);
    for (const [uri, text] of texts) assert.ok(text.length > 1000, uri);
  });

  it('starts by a link', () => {
    const link = join(folder, 'linked');
    symlinkSync(executable, link);
    const run = spawnSync(link, ['demo'], { encoding: 'utf8', env: { PATH: noNode } });
    assert.match(run.stdout, /Registration complete/, run.stderr);
  });
});

describe('the container image', () => {
  const [entry = ''] = JSON.parse(instruction(last, 'ENTRYPOINT')) as string[];
  const variables = instruction(last, 'ENV').split(' ');
  const unprivileged = ['/usr/bin/unshare', '--map-root-user', '/usr/sbin/chroot'];
  // As the engine: a user without rights, no variables but those of the image, its working folder.
  const inImage = (user: string): Command => [
    'env',
    '-i',
    ...variables,
    ...(process.getuid?.() === 0 ? ['/usr/sbin/chroot', `--userspec=${user}`] : unprivileged),
    image,
    `/usr/local/bin/${entry}`,
  ];

  it('runs the demo, as its own user and as any other', () => {
    for (const user of [instruction(last, 'USER'), '1000:1000']) {
      const [file, ...args] = inImage(user);
      const run = spawnSync(file, [...args, 'demo'], { encoding: 'utf8' });
      assert.match(run.stdout, /Registration complete/, run.stderr);
    }
  });

  it('contains the executable, libraries with their licences, and nothing else that runs', () => {
    const files = readdirSync(image, { recursive: true, encoding: 'utf8' });
    const programs = files.filter((file) => /(^|\/)s?bin\/[^/]+$/.test(file));
    assert.deepEqual(programs.sort(), ['opt/authcli/bin/authcli', 'usr/local/bin/authcli']);
    const doc = join(image, 'usr/share/doc');
    for (const name of ['libc6', 'libgcc-s1', 'libstdc++6'])
      assert.ok(existsSync(join(doc, name, 'copyright')), name);
  });
});

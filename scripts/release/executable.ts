import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import type { Platform } from './node.ts';

const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * What Node runs and reads inside an executable: the built program and the texts that it shows, by their paths in
 * the package. The same for all platforms, since neither a snapshot nor compiled code is in it.
 */
export function makeBlob(node: string, work: string): Buffer {
  const output = join(work, 'program.blob');
  const config = join(work, 'program.json');
  const settings = {
    main: 'bin/executable.js',
    output,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    assets: Object.fromEntries(assets().map((path) => [path, path])),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(node, ['--experimental-sea-config', config], { stdio: 'pipe' });
  return readFileSync(output);
}

/** The files that the program loads or reads; not the library, which is for Node. */
function assets(): readonly string[] {
  const texts = /^(package\.json|bin\/.*\.js|schemas\/.*|docs\/.*\.md)$/;
  const built = /^dist\/([^/]+\.(cjs|txt|html|json)|help\/.*|artillery\/.*)$/;
  const found = ['bin', 'dist', 'docs', 'schemas'].flatMap(filesIn);
  return ['package.json', ...found].filter((path) => texts.test(path) || built.test(path)).sort();
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'));
}

/** Writes a copy of `node` that runs the blob. Throws if it isn't an executable of the platform. */
export async function makeExecutable(
  file: string,
  { platform, node, blob }: { platform: Platform; node: string; blob: Buffer },
): Promise<void> {
  copyFileSync(node, file);
  chmodSync(file, 0o755);
  await inject(file, 'NODE_SEA_BLOB', blob, { sentinelFuse: fuse });
  const wrong = faultOf(readFileSync(file), platform, blob);
  if (wrong !== undefined) throw new Error(`${file} ${wrong}`);
}

/** What is wrong with an executable, as far as it can be read without running it. */
export function faultOf(bytes: Buffer, platform: Platform, blob: Buffer): string | undefined {
  if (!isFor(platform, bytes)) return `is not an executable for ${platform}`;
  if (!bytes.includes(`${fuse}:1`) || bytes.includes(`${fuse}:0`)) return 'has not its fuse set';
  const encoding = platform === 'win-x64' ? 'utf16le' : 'utf8';
  const isNamed = bytes.includes('NODE_SEA_BLOB', 0, encoding);
  return isNamed && bytes.includes(blob) ? undefined : 'does not contain the program';
}

/** By the machine in the header: e_machine of ELF, Machine of PE/COFF. */
function isFor(platform: Platform, bytes: Buffer): boolean {
  if (platform === 'win-x64') {
    const header = bytes.readUInt32LE(0x3c);
    const isPe = bytes.toString('latin1', 0, 2) === 'MZ' && header + 6 <= bytes.length;
    return (
      isPe && bytes.readUInt32LE(header) === 0x4550 && bytes.readUInt16LE(header + 4) === 0x8664
    );
  }
  const machine = platform === 'linux-x64' ? 62 : 183;
  return bytes.toString('latin1', 0, 6) === '\x7fELF\x02\x01' && bytes.readUInt16LE(18) === machine;
}

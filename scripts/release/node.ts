import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Node inside the executables: packages of the registry with the files of nodejs.org, and their digests. */
export const nodeVersion = '24.21.0';
const digests = {
  'linux-x64':
    '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'linux-arm64':
    'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'win-x64':
    '0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
} as const;

export type Platform = keyof typeof digests;
export const platforms = Object.keys(digests) as Platform[];

/** What a package of Node contains that matters here. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the tarball, in Base64. */
  readonly digest: string;
  readonly executable: string;
  /** The licence; the package for Windows lacks it. */
  readonly license: string;
}

/** Fetches the Node of a platform into `work`. Throws if its tarball isn't the pinned one. */
export function fetchNode(platform: Platform, work: string): NodePackage {
  const name = `node-${platform}`;
  const npm = [
    'pack',
    `${name}@${nodeVersion}`,
    '--silent',
    '--ignore-scripts',
    '--prefer-offline',
  ];
  execFileSync('npm', [...npm, '--pack-destination', work]);
  const tarball = join(work, `${name}-${nodeVersion}.tgz`);
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  requireDigest(name, digest, digests[platform]);
  const folder = join(work, name);
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  const file = platform.startsWith('win-') ? 'node.exe' : 'node';
  const [executable, license] = [join(folder, 'bin', file), join(folder, 'LICENSE')];
  return { name, version: nodeVersion, digest, executable, license };
}

/** Throws unless the digest of a tarball is the pinned one. */
export function requireDigest(name: string, found: string, pinned: string): void {
  if (found === pinned) return;
  throw new Error(
    `${name}@${nodeVersion} has the SHA-512 ${found} instead of the pinned ${pinned}`,
  );
}

/** The Node that runs on this machine, of those that are pinned; throws on another machine. */
export function hostPlatform(): Platform {
  const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const found = platforms.find((platform) => platform === host);
  if (found === undefined) throw new Error(`Releases are built on ${platforms.join(', ')}.`);
  return found;
}

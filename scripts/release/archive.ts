import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Packs `name` in `folder`: the same files give the same bytes. The time is that of the files in npm's tarballs. */
export function packArchive(file: string, folder: string, name: string): void {
  const same = [
    '--sort=name',
    '--mtime=1985-10-26T08:15:00Z',
    '--format=ustar',
    '--mode=u=rwX,go=rX',
  ];
  const root = ['--owner=0', '--group=0', '--numeric-owner'];
  const gzip = ['--use-compress-program=gzip -n'];
  execFileSync('tar', [...same, ...root, ...gzip, '-cf', file, '-C', folder, name]);
}

/** The line of a file for `sha256sum --check`. */
export function checksumLine(file: string, name: string): string {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${name}\n`;
}

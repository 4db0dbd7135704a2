import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What others may do with a file, and its mode, such as 0644. */
export interface Exposure {
  readonly to: 'readers' | 'writers';
  readonly mode: string;
}

/**
 * What a file of a secret is exposed to; undefined if to nothing, or if it is not a plain file. Readers must also
 * be able to enter its folders. A container engine mounts secrets for everybody in the container: those only
 * writers could change.
 */
export function exposureOf(path: string): Exposure | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return undefined;
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
  if ((stat.mode & 0o022) !== 0) return { to: 'writers', mode };
  const target = realpathSync(path);
  if ((stat.mode & 0o044) === 0 || isMountedSecret(target)) return undefined;
  return canBeReached(target) ? { to: 'readers', mode } : undefined;
}

/** Docker, Podman and systemd use /run/secrets; Kubernetes links to a folder named after the time of the update. */
function isMountedSecret(path: string): boolean {
  return /^(?:\/var)?\/run\/secrets\/|\/\.\.\d{4}_\d\d_\d\d[^/]*\//.test(path);
}

function canBeReached(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o011) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

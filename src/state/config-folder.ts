import { isAbsolute, join } from 'node:path';

/** What the folder of settings depends on. */
export interface Account {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `process.platform`. */
  readonly os: string;
  /** The home folder that the system knows for the account. */
  readonly home: () => string;
  /** Whether the account may enter a folder: a container's HOME may be another user's. */
  readonly mayEnter: (folder: string) => boolean;
}

/**
 * The folder of settings by the custom of the system: XDG, Application Support, or AppData. A path that isn't
 * absolute is ignored, as the XDG Base Directory Specification requires: settings may name commands to run, so
 * they never come from the current folder.
 */
export function configFolder({ env, os, home: accountHome, mayEnter }: Account): string {
  const home = () =>
    [absolute(env.HOME), absolute(env.USERPROFILE)].find((path) => path && mayEnter(path)) ??
    join('/', accountHome());
  if (os === 'win32')
    return join(absolute(env.APPDATA) ?? join(home(), 'AppData', 'Roaming'), 'authcli', 'Config');
  if (os === 'darwin') return join(home(), 'Library', 'Preferences', 'authcli');
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(home(), '.config'), 'authcli');
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-flags.ts';

/** The path of the config file of a run. */
export function configFileOf(context: Context, { config }: Pick<GlobalOptions, 'config'>): string {
  return config === undefined ? context.defaultConfigFile() : resolve(context.cwd, config);
}

/** Whether there is certainly no such file; what else may be wrong with it shows when it is read. */
export function isMissing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

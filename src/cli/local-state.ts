import { resolve } from 'node:path';
import { openState, type State } from '../state/state.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-flags.ts';

/** Opens the local state: the config file and the profile of this run. */
export function openLocalState(
  context: Context,
  global: Pick<GlobalOptions, 'config' | 'profile'>,
): State {
  const configFile =
    global.config === undefined ? context.defaultConfigFile() : resolve(context.cwd, global.config);
  return openState({ configFile, profile: global.profile, now: context.now });
}

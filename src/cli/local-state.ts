import { openState, type State } from '../state/state.ts';
import { configFileOf } from './config-file.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-flags.ts';

/** Opens the local state: the config file and the profile of this run. */
export function openLocalState(
  context: Context,
  global: Pick<GlobalOptions, 'config' | 'profile'>,
): State {
  const configFile = configFileOf(context, global);
  return openState({ configFile, profile: global.profile, now: context.now });
}

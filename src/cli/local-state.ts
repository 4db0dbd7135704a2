import { resolve } from 'node:path';
import type { State } from '../state/state.ts';
import type { GlobalOptions } from './args/global-flags.ts';
import type { Context } from './context.ts';

type StateOptions = Pick<GlobalOptions, 'config' | 'profile'>;

/** Opens the state of --config and --profile. */
export async function openLocalState(context: Context, options: StateOptions): Promise<State> {
  const { openState } = await import('../state/state.ts');
  const configFile = configFileOf(context, options);
  const { now, randomBytes, platform } = context;
  const state = { now, randomBytes, os: platform.os, userId: platform.userId };
  return openState({ ...state, configFile, profile: options.profile });
}

function configFileOf(context: Context, { config }: StateOptions): string {
  return config === undefined ? context.defaultConfigFile() : resolve(context.cwd, config);
}

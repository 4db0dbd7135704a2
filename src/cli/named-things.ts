import { findSetting } from '../state/settings.ts';
import { required } from './options.ts';
import { nonEmpty } from './values.ts';

/** The argument that names a setting. */
export const settingArgument = required('<setting>', 'the name of the setting', {
  input: 'word',
  candidates: 'setting',
  parse: findSetting,
});

/** The argument that names a user who is known here. */
export const userArgument = required('<ptn_cd>', 'the Application user code', {
  parse: nonEmpty,
  candidates: 'user-code',
});

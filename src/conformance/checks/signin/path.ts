import { authenticatePath, tokenPath } from '../../../protocol/endpoints.ts';
import { excerptOf } from '../../../text.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall } from '../../signin-expect.ts';

const paths: readonly string[] = [tokenPath, authenticatePath];

export const path: SigninCheckDefinition = {
  id: 'signin/path',
  title: 'must send to exactly /process/token and /process/authenticate',
  section: '4.2',
  sentence: 'POST {auth_url}/process/token, POST {auth_url}/process/authenticate.',
  run: everyCall((call) => {
    if (paths.includes(call.path)) return undefined;
    return {
      expected: `{auth_url}${tokenPath} or {auth_url}${authenticatePath}`,
      observed: `{auth_url}${excerptOf(call.path, 80)}`,
      fix: `Append ${tokenPath} and ${authenticatePath} to {auth_url} as they are: one slash between, none at the end, in small letters.`,
    };
  }),
};

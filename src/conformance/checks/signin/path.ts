import { authenticatePath, tokenPath } from '../../../protocol/endpoints.ts';
import { excerptOf } from '../../../text.ts';
import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls } from '../../signin-expect.ts';

const paths: readonly string[] = [tokenPath, authenticatePath];

export const path: SigninCheck = {
  id: 'signin/path',
  title: 'The paths are exactly /process/token and /process/authenticate',
  section: '4.2',
  sentence: 'POST {auth_url}/process/token, POST {auth_url}/process/authenticate.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const calls = anyCalls(await context.rightSignIn());
    const wrong = calls.find((call) => !paths.includes(call.path));
    if (wrong === undefined) return undefined;
    return fail({
      expected: `{auth_url}${tokenPath} or {auth_url}${authenticatePath}`,
      observed: `{auth_url}${excerptOf(wrong.path, 80)}`,
      mend: `Append ${tokenPath} and ${authenticatePath} to {auth_url} as they are: one slash between, none at the end, in small letters.`,
      evidence: wrong.exchange,
    });
  },
};

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
  ...everyCall(({ path, basePath }) => {
    const isBelow = path.startsWith(basePath);
    const end = path.slice(basePath.length);
    if (isBelow && paths.includes(end)) return undefined;
    return {
      expected: `{auth_url}${tokenPath} or {auth_url}${authenticatePath}`,
      observed: isBelow
        ? `{auth_url}${excerptOf(end, 80)}`
        : `${excerptOf(path, 80)}, where {auth_url} has the path ${basePath}`,
      fix: `Append ${tokenPath} and ${authenticatePath} to {auth_url} as they are: keep the path of {auth_url}, with one slash between, none at the end, in small letters.`,
    };
  }),
};

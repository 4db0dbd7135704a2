import { authenticatePath, tokenPath } from '../../../protocol/endpoints.ts';
import { excerptOf } from '../../../text.ts';
import type { ReceivedCall, SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall } from '../../signin-expect.ts';

const paths: readonly string[] = [tokenPath, authenticatePath];

export const path: SigninCheckDefinition = {
  id: 'signin/path',
  title: 'must send to exactly /process/token and /process/authenticate',
  section: '4.2',
  sentence: 'POST {auth_url}/process/token, POST {auth_url}/process/authenticate.',
  ...everyCall((call) => {
    const { path, basePath } = call;
    if (paths.includes(path.slice(basePath.length)) && path.startsWith(basePath)) return undefined;
    return {
      expected: `{auth_url}${tokenPath} or {auth_url}${authenticatePath}`,
      observed: observedPath(call),
      fix: `Append ${tokenPath} and ${authenticatePath} to {auth_url} as they are: keep the path of {auth_url}, with one slash between, none at the end, in small letters.`,
    };
  }),
};

function observedPath({ path, basePath }: ReceivedCall): string {
  const shown = excerptOf(path, 80);
  const base = `{auth_url} has the path ${basePath}`;
  if (basePath === '') return `{auth_url}${shown}`;
  return path.startsWith(basePath)
    ? `{auth_url}${excerptOf(path.slice(basePath.length), 80)}`
    : `${shown}, where ${base}`;
}

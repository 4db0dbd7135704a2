import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { application, type Endpoint, serve } from '../conformance/support.ts';
import { type RunEnvironment, run } from './run.ts';

/** Ways to run `verify` in this process, with its files in a folder of the test's own. */
export function verifierIn(folder: string) {
  const path = (name: string): string => join(folder, name);
  const verify = (
    url: string | URL,
    argv: readonly string[],
    environment: Partial<RunEnvironment> = {},
  ) =>
    run(['verify', '--url', String(url), ...argv], {
      configFile: path('config.json'),
      cwd: folder,
      ...environment,
    });
  return {
    path,
    read: (name: string): string => readFileSync(path(name), 'utf8'),
    verify,
    withEndpoint,
    /** Against an emulated application with these faults. */
    verifyApplication: (
      faults: readonly string[],
      argv: readonly string[],
      environment?: Partial<RunEnvironment>,
    ) => withEndpoint(application(...faults), ({ url }) => verify(url, argv, environment)),
  };
}

async function withEndpoint<T>(
  handle: Parameters<typeof serve>[0],
  use: (endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const endpoint = await serve(handle);
  return use(endpoint).finally(() => endpoint.close());
}

import { resolve } from 'node:path';
import { createApplication, handleCallback } from '../../emulator/application.ts';
import { applicationCodes } from '../../emulator/application-codes.ts';
import { applicationFaults } from '../../emulator/faults.ts';
import { createUserStore, type UserStore } from '../../emulator/users.ts';
import { cipherFlag } from '../cipher-flag.ts';
import { defineCommand } from '../command.ts';
import { clientIdFlag } from '../common-flags.ts';
import { emulate, emulateFlags, emulatorEnvironment, faultList } from '../emulate.ts';
import { optional } from '../options.ts';
import type { Session } from '../session.ts';

export const emulateApp = defineCommand({
  path: 'emulate app',
  about:
    'Runs a reference application on loopback: a callback endpoint that does what section 4.1 says, or, with --fault, goes wrong in a way that you choose. The first line printed says where it listens. With -- COMMAND, it runs COMMAND with AUTHCLI_URL set, and ends with its exit status.',
  flags: {
    ...emulateFlags,
    fault: { ...emulateFlags.fault, candidates: 'application-fault' },
    clientId: clientIdFlag,
    cipher: cipherFlag,
    users: optional(
      '--users <file>',
      'keep its users in this file; otherwise they are gone with it',
      { input: 'path' },
    ),
  },
  takesCommand: true,
  notes: [
    `It refuses with: ${Object.values(applicationCodes)
      .map(({ code, meaning }) => `${code} ${meaning}`)
      .join(' ')}`,
    'While it runs, GET /_authcli/ lists its control paths: the journal of what was received, faults for the next calls. With --ui, a page for people does the same.',
  ],
  examples: [
    { about: 'watch exchanges in a browser', line: 'authcli emulate app --port 8080 --ui' },
    {
      about: 'run one command against it',
      line: 'authcli emulate app -- authcli simulate-signup --json',
    },
    {
      about: 'see what OAEP looks like from the other side',
      line: 'authcli emulate app --fault oaep-sha256 -- authcli simulate-signup',
    },
  ],
  run: async (options, session) => {
    if (options.listFaults) return faultList(applicationFaults, session);
    const { clientId, cipher } = options;
    const environment = emulatorEnvironment(session);
    const users = await userStore(options.users, session);
    const application = createApplication({ clientId, cipher, environment, users });
    return emulate(
      {
        side: 'application',
        handler: (request) => handleCallback(request, application),
        faults: application.faults,
        settings: { client_id: clientId },
        clientId,
        cipher,
        options,
        childEnv: (url) => ({ AUTHCLI_URL: `${url}/callback` }),
      },
      session,
    );
  },
});

async function userStore(file: string | undefined, { context }: Session): Promise<UserStore> {
  if (file === undefined) return createUserStore();
  const { openUserFile } = await import('../../emulator/user-file.ts');
  return openUserFile(resolve(context.cwd, file));
}

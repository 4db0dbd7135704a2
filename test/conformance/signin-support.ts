import { randomBytes } from 'node:crypto';
import { signinEmulations } from '../../src/cli/verify/signin-emulations.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import {
  bindSigninChecks,
  type Conclusion,
  type SigninEnvironment,
  type SigninUser,
} from '../../src/conformance/signin-check.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { containsSecret } from '../../src/reports/redact.ts';
import type { SigninProgram } from '../support/signin-program.ts';
import { clientId, newRun, type RunChanges } from './support.ts';

const secretKey = 'a-secret-key-of-the-tests';

/** Runs the checks of the sign-in against a program that is a function of this process. */
export async function verifySignin(
  program: SigninProgram,
  changes: RunChanges & Partial<SigninEnvironment> & { patienceMs?: number } = {},
): Promise<RunResult> {
  const { users = 'invented', givenUser, patienceMs = 30_000, ...options } = changes;
  const environment = { now: Date.now, randomBytes };
  const emulations = signinEmulations({
    clientId,
    secretKey: Secret.text(secretKey),
    cipher: defaultCipher,
    environment,
    port: 0,
    patienceMs,
  });
  await emulations.listen(12);
  const catalogue = bindSigninChecks(signinChecks, {
    secretKey: Secret.text(secretKey),
    users,
    sideBySide: true,
    contains: containsSecret,
    emulate: (order) => emulations.start(order),
    givenUser: givenUser ?? (() => Promise.reject(new Error('nobody is given'))),
    trigger: {
      kind: 'command',
      run: async ({ authUrl, ptnToken }, user) => {
        const known = user === undefined ? [] : ([[user.ptnCd, plain(user)]] as const);
        const input = { authUrl, clientId, secretKey, ptnToken, users: new Map(known) };
        return conclude(program, input);
      },
    },
  });
  const url = new URL('command:a%20program');
  return newRun(url, { catalogue, ...options }).start();
}

function plain({ ptnCd, key, superPasscode }: SigninUser) {
  return { ptnCd, key: key.reveal(), superPasscode: superPasscode.reveal() };
}

async function conclude(
  program: SigninProgram,
  input: Parameters<SigninProgram>[0],
): Promise<Conclusion> {
  const printed: string[] = [];
  try {
    await program(input, (line) => printed.push(line));
    return { verdict: 'signed-in', how: 'exit status 0', shown: printed.join('\n') };
  } catch (error) {
    const shown = [...printed, String(error)].join('\n');
    return { verdict: 'refused', how: 'exit status 1', shown };
  }
}

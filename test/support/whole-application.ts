import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import { clientId, serve } from '../conformance/support.ts';
import { freePort } from './free-port.ts';
import { seededBytes } from './seeded-bytes.ts';
import type { SigninProgram } from './signin-program.ts';

/** With which a whole application signs users in. */
export const secretKey = 'a-secret-key-of-the-tests';

/** An application of this process: the emulated one for its callbacks, and a sign-in with the same users. */
export async function wholeApplication(program: SigninProgram) {
  const environment = { now: Date.now, randomBytes: seededBytes('application') };
  const users = new Map<string, { ptnCd: string; key: string; superPasscode: string }>();
  const app = createApplication({ clientId, cipher: defaultCipher, environment });
  const callback = await serve(async (request) => {
    const { response } = await handleCallback(request, app);
    for (const { ptnCd, key, superPasscode } of app.users.list()) {
      const passcode = superPasscode?.reveal() ?? '';
      users.set(ptnCd, { ptnCd, key: key.reveal(), superPasscode: passcode });
    }
    signedUp();
    return response;
  });
  const port = await freePort();
  const authUrl = `http://127.0.0.1:${port}`;
  const signins: string[] = [];
  let signedUp = (): void => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { ptn_token: ptnToken } = JSON.parse(body);
    signins.push(ptnToken);
    try {
      await program({ authUrl, clientId, secretKey, ptnToken, users }, () => {});
      response.end('{"ok":true}');
    } catch {
      response.writeHead(401).end('{"ok":false}');
    }
  });
  const url = await listen(server);
  return {
    signins,
    argv: [
      ...['--signin-url', `${url}/sign-in`, '--auth-port', String(port)],
      ...['--secret-key', secretKey],
    ],
    callbackUrl: callback.url.href,
    users,
    onSignUp: (listener: () => void) => {
      signedUp = listener;
    },
    close: async () => {
      await callback.close();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

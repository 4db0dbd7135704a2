import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signIn } from '../../../src/client/signin.ts';
import { parseCipher } from '../../../src/crypto/cipher.ts';
import { Secret } from '../../../src/crypto/secret.ts';
import { serviceFaults } from '../../../src/emulator/faults.ts';
import { sendTo } from '../../explore/support.ts';
import { clientId, newService, registeredUser, secretKey } from '../support.ts';

/** What a sign-in gets over, and only a relay reports. */
const tolerated = new Set([
  'expire-dt-past',
  'message-missing',
  'byte-order-mark',
  'text-content-type',
]);

/** What needs a network: server.test.ts has them. */
const ofConnections = /silent$|^slow$|^body-too-large$/;

describe('a fault of the emulated service', () => {
  for (const { name, diagnosis } of serviceFaults) {
    if (ofConnections.test(name)) continue;
    it(`${name} is diagnosed by a sign-in as ${tolerated.has(name) ? 'nothing' : diagnosis}`, async () => {
      const cipher = parseCipher(name === 'ptn-sp-tag-damaged' ? 'aes-256-gcm' : 'default');
      // With it, every cipher would be tried on a damaged one.
      const superPasscode =
        diagnosis === 'passcode-mismatch' ? registeredUser.superPasscode : undefined;
      const { service, call, ptnToken } = newService([registeredUser], cipher);
      service.faults.switchOn({ name });
      const send = sendTo(async (request) => (await call(request)).response);
      const outcome = await signIn(
        { send: (request) => send(request, 'kept'), close: async () => {} },
        {
          authUrl: 'http://service.test',
          clientId,
          secretKey: Secret.text(secretKey),
          ptnToken: Secret.text(ptnToken()),
          expectedPtnCd: registeredUser.ptnCd,
          cipher,
          lookUpUser: () => ({ ...registeredUser, superPasscode }),
        },
      );
      assert.equal(outcome.diagnosis?.code, tolerated.has(name) ? undefined : diagnosis);
    });
  }
});

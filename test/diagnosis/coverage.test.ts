import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { signIn } from '../../src/client/signin.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload, undecryptablePayload } from '../../src/crypto/payload-ciphers.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnoseConnection } from '../../src/diagnosis/connection.ts';
import type { ConnectionFacts } from '../../src/diagnosis/connection-facts.ts';
import { diagnosePayload } from '../../src/diagnosis/payload.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import {
  connectionCodes,
  type Diagnosis,
  type DiagnosisCode,
  payloadCodes,
  perUserKeyCodes,
  responseCodes,
  wrappedKeyCodes,
} from '../../src/errors.ts';
import { memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { wrongPrograms } from '../support/signin-mistakes.ts';

const randomBytes = seededBytes('coverage');

/*
 * No diagnosis code without a test that makes it come up. A code is either what a fault of the
 * emulated application or a wrong sign-in leads to (test/conformance/mutants.ci.test.ts
 * runs every one and compares the diagnosis), or it is produced here, by what it is there for.
 */

const codes: readonly DiagnosisCode[] = [
  ...wrappedKeyCodes,
  ...perUserKeyCodes,
  ...responseCodes,
  ...payloadCodes,
  ...connectionCodes,
];

const key = '0123456789abcdefghijklmnopqrstuv';
const superPasscode = 'passcode-482913';
const aes = parseCipher('aes-256-cbc');
const gcm = parseCipher('aes-256-gcm');

function sealed(text: string, cipher = aes, userKey = key): string {
  return encryptPayload(encodeUtf8(text), userKey, cipher, randomBytes);
}

/** The diagnosis of a payload under the default cipher. */
function ofPayload(payload: string, otherKeys: readonly string[] = []): Diagnosis {
  return diagnosePayload(payload, key, { cipher: aes, otherKeys }).diagnosis;
}

/** The diagnosis of a sign-in whose service responds so. */
async function ofSignin(changes: {
  readonly ptnCd?: string;
  readonly expireDt?: string;
  readonly ptnSp?: string;
}): Promise<Diagnosis | undefined> {
  const { ptnCd = 'alice', expireDt = '20260102030405', ptnSp = sealed(superPasscode) } = changes;
  const token = { acs_token: 'a-token', expire_dt: expireDt, ptn_cd: ptnCd };
  const transport = memoryTransport(({ ptn_token }) => ({
    json: { code: '0000', message: '', result: ptn_token ? token : { ptn_sp: ptnSp } },
  }));
  const { diagnosis } = await signIn(transport, {
    authUrl: 'http://localhost',
    clientId: 'client-1',
    secretKey: Secret.text('secret'),
    ptnToken: Secret.text('ptn'),
    expectedPtnCd: 'alice',
    cipher: aes,
    lookUpUser: () => ({ key: Secret.key(key), superPasscode: Secret.text(superPasscode) }),
  });
  return diagnosis;
}

function ofConnection(facts: Partial<ConnectionFacts>): Diagnosis {
  return diagnoseConnection({ phase: 'tls', target: new URL('https://app.test/'), ...facts });
}

type Producer = () => Diagnosis | undefined | Promise<Diagnosis | undefined>;

const producers: Partial<Record<DiagnosisCode, Producer>> = {
  'field-malformed': () => ofSignin({ expireDt: '2026-01-02 03:04' }),
  'passcode-mismatch': () => ofSignin({ ptnSp: sealed('passcode-999999') }),
  'other-user': () => ofSignin({ ptnCd: 'bob' }),
  'cipher-mismatch': () => ofSignin({ ptnSp: sealed(superPasscode, gcm) }),
  'bad-padding': () => ofPayload(undecryptablePayload(key, aes, randomBytes) ?? ''),
  'bad-tag': () => {
    const payload = undecryptablePayload(key, gcm, randomBytes) ?? '';
    return diagnosePayload(payload, key, { cipher: gcm }).diagnosis;
  },
  'wrong-key': () => {
    const other = 'q7Hs9ZkV2mXc4Bn8Lw1Rt6Yp3Df5Gj0A';
    return ofPayload(sealed(superPasscode, aes, other), [other]);
  },
  'payload-encoding': () => ofPayload(`"${sealed('a passcode of some length')}"`),
  dns: () => ofConnection({ phase: 'lookup', errorCode: 'ENOTFOUND' }),
  refused: () => ofConnection({ phase: 'connect', errorCode: 'ECONNREFUSED' }),
  'tls-untrusted': () => ofConnection({ verifyCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  'tls-expired': () => ofConnection({ verifyCode: 'CERT_HAS_EXPIRED' }),
  'tls-hostname': () => ofConnection({ verifyCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  'tls-version': () => ofConnection({ tlsAlert: 70 }),
  'protocol-error': () => ofConnection({ speaks: 'http' }),
};

const ofFaults = new Set<string>(
  [...applicationFaults, ...wrongPrograms].flatMap(({ diagnosis }) => diagnosis ?? []),
);

describe('coverage of the diagnosis codes', () => {
  it('leaves no code that nothing produces', () => {
    const missing = codes.filter((code) => !ofFaults.has(code) && producers[code] === undefined);
    assert.deepEqual(missing, []);
  });

  it('has no fault with an unknown diagnosis', () => {
    const known = new Set<string>(codes);
    assert.deepEqual(
      [...ofFaults].filter((code) => !known.has(code)),
      [],
    );
  });

  for (const [code, produce] of Object.entries(producers)) {
    it(`produces ${code}`, async () => {
      const diagnosis = await produce();
      assert.equal(diagnosis?.code, code, diagnosis?.message);
      assert.notEqual(diagnosis.message, '');
      assert.notEqual(diagnosis.hint, '');
    });
  }

  it('finds nothing wrong with what is right', async () => {
    assert.equal(await ofSignin({}), undefined);
  });
});

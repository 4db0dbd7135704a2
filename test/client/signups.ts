import { constants } from 'node:crypto';
import { before } from 'node:test';
import { type SignupInput, type SignupOutcome, simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import {
  type ApplicationVariant,
  applicationKey,
  type PeerApplication,
  startApplication,
} from '../support/peer-application.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

export const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('signup');

export let keyPair: RsaPrivateKey;
before(async () => {
  keyPair = await nextKeyPair(2048);
});

/** What a sign-up at this URL needs. */
export function inputFor(url: URL, changes: Partial<SignupInput> = {}): SignupInput {
  return {
    url,
    clientId: 'client-1',
    ptnCd: 'user-1',
    keyPair,
    superPasscode: Secret.text('pässcode-42'),
    userInfo: Secret.text('{"email":"a@b.example","name":"김하늘"}'),
    cipher: defaultCipher,
    randomBytes,
    ...changes,
  };
}

/** Signs one user up at an application of this kind. */
export async function signUp(
  variant: ApplicationVariant,
  changes: Partial<SignupInput> = {},
): Promise<{ outcome: SignupOutcome; application: PeerApplication }> {
  const application = await startApplication(variant);
  const run = withTransport({}, (transport) =>
    simulateSignup(transport, inputFor(application.url, changes)),
  );
  return { outcome: await run.finally(() => application.close()), application };
}

interface WrongCase {
  readonly name: string;
  readonly variant: ApplicationVariant;
  readonly code: Diagnosis['code'];
  /** The plain key, where it can be read all the same. */
  readonly key?: string;
}

const replaced = (text: string): ApplicationVariant => ({ respond: () => text });
/** A key exchange whose right response is edited. */
export const edited = (edit: (response: { result: Record<string, unknown> }) => unknown) => ({
  respond: (_: unknown, right: string) => JSON.stringify(edit(JSON.parse(right))),
});

/** Wrong responses to key exchanges, and the diagnosis of each. */
export const wrongCases: readonly WrongCase[] = [
  {
    name: 'another code',
    variant: replaced('{"code":"9999","message":"no"}'),
    code: 'code-not-success',
  },
  {
    name: 'a number as code',
    variant: { respond: (_, right) => right.replace('"0000"', '0') },
    code: 'code-not-string',
    key: applicationKey,
  },
  { name: 'no JSON', variant: replaced('ok'), code: 'not-json' },
  { name: 'nothing', variant: replaced(''), code: 'empty-body' },
  {
    name: 'a page',
    variant: replaced('<!doctype html><title>Oops</title>'),
    code: 'html-instead-of-json',
  },
  { name: 'no result', variant: replaced('{"code":"0000","message":""}'), code: 'result-missing' },
  {
    name: 'OAEP',
    variant: { padding: constants.RSA_PKCS1_OAEP_PADDING },
    code: 'oaep-sha1',
    key: applicationKey,
  },
  {
    name: 'a key of 31 characters',
    variant: { key: 'k9Xw2Qe7Rt4Yu1Io6Pa3Sd8Fg5Hj0Kl' },
    code: 'key-length',
  },
  {
    name: 'hexadecimal',
    variant: edited((response) => {
      const hex = Buffer.from(String(response.result.enc_partner_key), 'base64').toString('hex');
      return { ...response, result: { enc_partner_key: hex } };
    }),
    code: 'hex',
    key: applicationKey,
  },
  {
    name: 'the key outside result',
    variant: edited((response) => ({ ...response, ...response.result, result: {} })),
    code: 'field-misplaced',
    key: applicationKey,
  },
  {
    name: 'a redirect',
    variant: { status: 302, headers: { location: '/login' } },
    code: 'redirect',
  },
];

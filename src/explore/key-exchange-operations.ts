import type { WireRequest } from '../client/exchange.ts';
import { keyExchangeRequest } from '../client/signup.ts';
import {
  malform,
  malformedNames,
  operationOf,
  withUnknownField,
} from '../conformance/malformed.ts';
import type { KeyPairs } from '../conformance/test-data.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { aboutOf, type Built, type Operation, type Scene } from './operation.ts';

const always = () => true;

const validExchanges: readonly Operation[] = [
  exchange('valid', 'a key exchange', 60, 'valid', ({ usual }) => usual()),
  exchange('second-public-key', 'a key exchange with another public_key', 10, 'valid', (pairs) =>
    pairs.second(),
  ),
  exchange('3072-bits', 'a key exchange with a public_key of 3072 bits', 3, 'optional', (pairs) =>
    pairs.large(3072),
  ),
  exchange('4096-bits', 'a key exchange with a public_key of 4096 bits', 2, 'optional', (pairs) =>
    pairs.large(4096),
  ),
  exchange(
    'unknown-field',
    'a key exchange with an additional field',
    3,
    'optional',
    ({ usual }) => usual(),
    withUnknownField,
  ),
];

function exchange(
  name: string,
  about: string,
  weight: number,
  form: 'valid' | 'optional',
  pairOf: (pairs: KeyPairs) => Promise<RsaPrivateKey>,
  alter: (right: WireRequest) => WireRequest = (right) => right,
): Operation {
  const build = async (scene: Scene): Promise<Built> => {
    const keyPair = await pairOf(scene.keyPairs);
    const request = alter(exchangeRequest(scene, keyPair));
    return { request, keyPair, model: { kind: 'key-exchange', form } };
  };
  return { id: `key-exchange/${name}`, about, weight, fits: always, build };
}

function exchangeRequest(scene: Scene, keyPair: RsaPrivateKey): WireRequest {
  const { url, clientId, ptnCd } = scene;
  return keyExchangeRequest({ url, clientId, ptnCd, keyPair });
}

/** What an application should refuse by the interface's silence, and need not (`should` in `verify`). */
const odd = /^(?:client-id-|used-type-|json-)/;

const malformedExchanges: readonly Operation[] = malformedNames
  .filter((name) => operationOf(name) === 'key-exchange')
  .map((name) => ({
    id: `key-exchange/${name}`,
    about: aboutOf(name),
    weight: 2,
    fits: always,
    build: async (scene) => {
      const keyPair = await scene.keyPairs.usual();
      const { request } = malform(name, exchangeRequest(scene, keyPair));
      return {
        request,
        keyPair,
        model: { kind: 'key-exchange', form: odd.test(name) ? 'odd' : 'invalid' },
      };
    },
  }));

/** Key exchanges, valid and malformed. */
export const keyExchangeOperations: readonly Operation[] = [
  ...validExchanges,
  ...malformedExchanges,
];

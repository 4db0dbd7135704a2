import type { Context } from '../../src/cli/context.ts';
import type { Exchange } from '../../src/client/exchange.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import type { RunSecret } from './stored-secrets.ts';

/** Of a run with thousands of exchanges at most this many are decrypted: each costs a third of a millisecond. */
const mostOpened = 40;

/** Looks on while a run makes key pairs and receives responses, to know the secrets that came of them. */
export class SecretsMade {
  readonly #keyPairs: RsaPrivateKey[] = [];
  readonly #exchanges: Exchange[] = [];

  /** The same environment, looked on. */
  watching<RunEnvironment extends Pick<Context, 'generateKeyPair' | 'openTransport'>>(
    context: RunEnvironment,
  ): RunEnvironment {
    return {
      ...context,
      generateKeyPair: async (bits) => {
        const pair = await context.generateKeyPair(bits);
        this.#keyPairs.push(pair);
        return pair;
      },
      openTransport: async (options) => {
        const transport = await context.openTransport(options);
        return {
          send: async (request, connection) =>
            this.#keep(await transport.send(request, connection)),
          close: () => transport.close(),
        };
      },
    };
  }

  /** The per-user keys that were exchanged, and the access tokens that were given out. */
  found(): readonly RunSecret[] {
    return this.#exchanges.flatMap(({ request, response }) => {
      const { enc_partner_key: wrapped, acs_token: token } = resultIn(response?.body);
      // An address of an application's own may respond with anything: no token of the service is in it.
      const isOfService = Buffer.from(request.body).includes('"secret_key"');
      return [
        ...(typeof wrapped === 'string' ? this.#opened(wrapped) : []),
        ...(typeof token === 'string' && isOfService ? [{ kind, text: token }] : []),
      ];
    });
  }

  #keep(exchange: Exchange): Exchange {
    if (this.#exchanges.length < mostOpened) this.#exchanges.push(exchange);
    return exchange;
  }

  #opened(wrapped: string): readonly RunSecret[] {
    for (const pair of this.#keyPairs) {
      const result = unwrapKey(pair, wrapped);
      if (result.ok) return [{ kind: 'key', text: Buffer.from(result.message).toString() }];
    }
    return [];
  }
}

const kind = 'acs-token' as const;

/** The result of a response that is right; of any other, what is secret in it is not known. */
function resultIn(body: Uint8Array = new Uint8Array()): Readonly<Record<string, unknown>> {
  try {
    const { code, result } = JSON.parse(Buffer.from(body).toString()) ?? {};
    return code === '0000' && typeof result === 'object' && result !== null ? result : {};
  } catch {
    return {};
  }
}

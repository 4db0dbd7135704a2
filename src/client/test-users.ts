import type { Secret } from '../crypto/secret.ts';
import type { KeyExchangeOutcome } from './call.ts';
import type { Transport, WireRequest } from './exchange.ts';
import { exchangeKey, type KeyExchangeInput } from './signup.ts';

export interface TestUserSource {
  readonly nextUserCode: () => string;
  /** Given each key of a test user. */
  readonly onKey: (key: Secret) => void;
  readonly onProgress?: (testUsers: number) => void;
}

/** The users with whom an application is examined: their codes, their key exchanges, and the requests for them. */
export class TestUsers {
  readonly codes: string[] = [];
  requests = 0;
  readonly #transport: Transport;
  readonly #source: TestUserSource;

  constructor(transport: Transport, source: TestUserSource) {
    this.#transport = transport;
    this.#source = source;
  }

  nextCode(): string {
    const code = this.#source.nextUserCode();
    this.codes.push(code);
    this.#source.onProgress?.(this.codes.length);
    return code;
  }

  /** How random the keys are says nothing of a refusal, and costs more than the exchange. */
  async exchangeKey(
    input: KeyExchangeInput,
    transport: Transport = this.through(),
  ): Promise<KeyExchangeOutcome> {
    const of = { ...input, inventsUser: true, examinesStrength: false };
    const outcome = await exchangeKey(transport, of);
    if (outcome.key !== undefined) this.#source.onKey(outcome.key);
    return outcome;
  }

  /** The way to the application, on which requests are counted, and changed. */
  through(
    alter: (request: WireRequest) => WireRequest = (request) => request,
    connection?: 'fresh',
  ): Transport {
    return {
      send: (request) => {
        this.requests += 1;
        return this.#transport.send(alter(request), connection);
      },
      close: () => this.#transport.close(),
    };
  }
}

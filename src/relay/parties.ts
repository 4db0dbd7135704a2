import { decodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { Secret } from '../crypto/secret.ts';
import type { ServiceUser } from '../emulator/users.ts';
import { isJsonObject } from '../protocol/json.ts';
import { successCode } from '../protocol/response.ts';
import { type CapturedExchange, jsonOf } from './capture.ts';

/** More users than these are left out. */
const mostUsers = 10_000;

/** Who took part in recorded exchanges that were accepted: the client and its secret, and the users. */
export class RecordedParties {
  /** The latest `client_id`. */
  clientId: string | undefined;
  /** Only of a recording that has values. */
  secretKey: Secret | undefined;
  readonly #tokens = new Map<unknown, string>();
  readonly #users = new Map<string, { readonly key: Secret; readonly payload: string }>();

  observe(exchange: CapturedExchange): void {
    const { operation, key, isPseudonymous } = exchange;
    const received = jsonOf(exchange.response);
    if (operation === 'other' || received.code !== successCode) return;
    const sent = jsonOf(exchange.request);
    if (typeof sent.client_id === 'string') this.clientId = sent.client_id;
    if (typeof sent.secret_key === 'string' && !isPseudonymous) {
      this.secretKey = Secret.text(sent.secret_key);
    }
    const result = isJsonObject(received.result) ? received.result : {};
    const ptnCd = exchange.ptnCd ?? this.#tokens.get(sent.acs_token);
    if (operation === 'token' && ptnCd !== undefined && this.#tokens.size < mostUsers) {
      this.#tokens.set(result.acs_token, ptnCd);
    }
    const payload = sent.partner_sp ?? result.ptn_sp;
    if (key === undefined || ptnCd === undefined || typeof payload !== 'string') return;
    if (this.#users.size < mostUsers) this.#users.set(ptnCd, { key, payload });
  }

  /** A user with the passcode that the recording contains under this cipher. */
  user(ptnCd: string, cipher: Cipher): ServiceUser | undefined {
    const found = this.#users.get(ptnCd);
    if (found === undefined) return undefined;
    const result = decryptPayload(found.payload, found.key.reveal(), cipher);
    const superPasscode = Secret.optional(result.ok ? decodeUtf8(result.plaintext) : undefined);
    return { ptnCd, key: found.key, superPasscode };
  }
}

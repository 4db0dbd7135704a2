import { decodeUtf8 } from '../bytes.ts';
import { checkPasscode, type UserSecrets } from '../client/passcode.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnoseFailedStep, diagnosePayload, examinePlaintext } from '../diagnosis/payload.ts';
import type { Diagnosis } from '../errors.ts';
import { type PayloadField, payloadKinds } from '../protocol/payload-fields.ts';

/** What a payload turned out to be. */
export interface JudgedPayload {
  readonly plaintext?: Secret;
  readonly diagnosis?: Diagnosis;
  /** It decrypts under another cipher than the one that is set: a matter of settings. */
  readonly fits?: boolean;
}

/** A search for the cipher takes up to a second, and after this many in vain the next finds nothing either. */
const mostSearches = 8;

/** Decrypts payloads whose key is known; searches for the cipher where the one that is set doesn't fit. */
export class PayloadJudge {
  #found: { readonly cipher: Cipher; readonly diagnosis: Diagnosis } | undefined;
  #searches = 0;

  judge(field: PayloadField, payload: string, key: Secret, cipher: Cipher): JudgedPayload {
    const plaintext = textUnder(payload, key, cipher, field);
    if (plaintext !== undefined) return { plaintext };
    const again = this.#found && textUnder(payload, key, this.#found.cipher, field);
    if (again !== undefined) {
      return {
        plaintext: again,
        fits: true,
        ...(this.#found && { diagnosis: this.#found.diagnosis }),
      };
    }
    return this.#search(field, payload, key, cipher);
  }

  #search(field: PayloadField, payload: string, key: Secret, cipher: Cipher): JudgedPayload {
    const context = { cipher, field, kind: payloadKinds[field] };
    if (this.#searches >= mostSearches) {
      return { diagnosis: diagnoseFailedStep(payload, key.reveal(), context) };
    }
    this.#searches += 1;
    const { diagnosis, fittingCipher } = diagnosePayload(payload, key.reveal(), context);
    if (fittingCipher === undefined) return { diagnosis };
    const found = { cipher: parseCipher(fittingCipher), diagnosis };
    this.#found = found;
    const plaintext = textUnder(payload, key, found.cipher, field);
    return { diagnosis, fits: true, ...(plaintext && { plaintext }) };
  }

  /** Compares `ptn_sp` with the passcode, under the cipher that was found to fit. */
  async judgePasscode(ptnSp: string, user: UserSecrets, cipher: Cipher): Promise<JudgedPayload> {
    const fitting = this.#found?.cipher ?? cipher;
    const { diagnosis, plaintext } = await checkPasscode(ptnSp, user, fitting);
    const text = plaintext && decodeUtf8(plaintext);
    return {
      ...(diagnosis && { diagnosis }),
      ...(text !== undefined && { plaintext: Secret.text(text) }),
    };
  }
}

function textUnder(
  payload: string,
  key: Secret,
  cipher: Cipher,
  field: PayloadField,
): Secret | undefined {
  const result = decryptPayload(payload, key.reveal(), cipher);
  if (!result.ok) return undefined;
  const context = { cipher, field, kind: payloadKinds[field] };
  const doubt = examinePlaintext(payload, key.reveal(), result.plaintext, context);
  const text = doubt === undefined ? decodeUtf8(result.plaintext) : undefined;
  return text === undefined ? undefined : Secret.text(text);
}

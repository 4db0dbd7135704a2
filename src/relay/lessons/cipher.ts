import { decodeUtf8 } from '../../bytes.ts';
import { parseCipher } from '../../crypto/cipher-notation.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { SharedCipher } from '../../diagnosis/cipher-identification.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type PayloadField, payloadFields, payloadKinds } from '../../protocol/payload-fields.ts';
import { counted } from '../../text.ts';
import { type CapturedExchange, jsonOf, knownText } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

/** An encrypted field of an exchange. */
export interface CapturedPayload {
  readonly field: PayloadField;
  readonly payload: string;
}

/** The encrypted fields of an exchange that are texts (section 2.3). */
export function payloadsOf({ request, response }: CapturedExchange): readonly CapturedPayload[] {
  const result = jsonOf(response).result;
  const fields: JsonObject = { ...jsonOf(request), ...(isJsonObject(result) && result) };
  return payloadFields.flatMap((field) => {
    const payload = knownText(fields[field]);
    return payload ? [{ field, payload }] : [];
  });
}

interface Sample extends CapturedPayload {
  readonly key: string;
  readonly kind: (typeof payloadKinds)[PayloadField];
  readonly user: string | undefined;
  readonly source: string;
}

/** This many payloads together single out one cipher. */
const mostSamples = 8;

/** The cipher of the per-user key, from all payloads whose key is known. */
export class CipherLesson implements Lessons {
  readonly #agreeing: Sample[] = [];
  readonly #others: Sample[] = [];
  readonly #placesWithoutKey = new Places();
  #withoutKey = 0;
  readonly #waiting: Sample[] = [];
  #cipher = new SharedCipher();
  /** Payloads that decrypt with the cipher, beyond the samples. */
  #confirmed = 0;

  observe(exchange: CapturedExchange): void {
    const { key, ptnCd: user, source } = exchange;
    for (const { field, payload } of payloadsOf(exchange)) {
      if (key === undefined) this.#leaveOut(source);
      else
        this.#take({ field, payload, key: key.reveal(), kind: payloadKinds[field], user, source });
    }
  }

  /** The text of a payload under the cipher as far as it is known; undefined if it isn't. */
  decrypt(payload: string, key: string): string | undefined {
    this.#weigh();
    const [best] = this.#cipher.candidates;
    if (best === undefined || best.confidence === 'possible') return undefined;
    const result = decryptPayload(payload, key, parseCipher(best.cipher));
    return result.ok ? decodeUtf8(result.plaintext) : undefined;
  }

  get confidence(): Lesson['confidence'] {
    return this.read()[0]?.confidence ?? 'unknown';
  }

  read(): readonly Lesson[] {
    this.#weigh();
    const [best, ...rivals] = this.#cipher.candidates;
    const setting = 'cipher';
    if (best === undefined || best.confidence === 'possible') return this.#unknown();
    const isCertain = best.confidence === 'certain' && rivals.length === 0;
    const confidence = isCertain && this.#others.length === 0 ? 'certain' : 'likely';
    const alternatives = rivals.map(({ cipher }) => cipher);
    const evidence = [this.#agreement(), this.#doubts(rivals.length)].filter(Boolean).join(' ');
    return [
      {
        setting,
        value: best.cipher,
        confidence,
        evidence,
        ...(alternatives.length > 0 && { alternatives }),
      },
    ];
  }

  #leaveOut(source: string): void {
    this.#withoutKey += 1;
    this.#placesWithoutKey.add(source);
  }

  #take(sample: Sample): void {
    const tried = this.#agreeing.length + this.#others.length + this.#waiting.length;
    if (tried < mostSamples) this.#waiting.push(sample);
    else if (this.decrypt(sample.payload, sample.key) !== undefined) this.#confirmed += 1;
    else if (this.#others.length < 2 * mostSamples) this.#others.push(sample);
  }

  /** Takes the waiting samples in; one that no common cipher decrypts is set apart. */
  #weigh(): void {
    if (this.#waiting.length === 0) return;
    this.#sort(this.#waiting.splice(0));
    if (this.#agreeing.length === 0 || this.#others.length <= this.#agreeing.length) return;
    // the first samples were the odd ones: most payloads decide
    this.#cipher = new SharedCipher();
    this.#sort([...this.#others.splice(0), ...this.#agreeing.splice(0)]);
  }

  #sort(samples: readonly Sample[]): void {
    for (const sample of samples) {
      (this.#cipher.add(sample) ? this.#agreeing : this.#others).push(sample);
    }
  }

  #unknown(): readonly Lesson[] {
    const unknown = { setting: 'cipher', confidence: 'unknown' } as const;
    const tried = this.#agreeing.length + this.#others.length;
    if (tried > 0) {
      const evidence = `No cipher makes sense of ${counted(tried, 'payload')} (${placesOf([...this.#agreeing, ...this.#others])}) with the keys that are known.`;
      return [{ ...unknown, evidence }];
    }
    if (this.#withoutKey === 0) return [];
    const evidence = `The key of ${counted(this.#withoutKey, 'encrypted payload')} is not known (${this.#placesWithoutKey}).`;
    return [{ ...unknown, evidence }];
  }

  #agreement(): string {
    const fields = [...new Set(this.#agreeing.map(({ field }) => field))].join(', ');
    const users = usersOf(this.#agreeing);
    const count = this.#agreeing.length + this.#confirmed;
    return `It decrypts ${counted(count, 'payload')} (${fields}) of ${counted(users, 'user')}: ${placesOf(this.#agreeing)}.`;
  }

  #doubts(rivals: number): string {
    const odd = this.#others.length;
    if (odd > 0)
      return `${counted(odd, 'payload')} can't be decrypted with it: ${placesOf(this.#others)}.`;
    return rivals === 0
      ? ''
      : `${counted(rivals, 'other cipher')} gives a text that makes sense too.`;
  }
}

/** How many users; that of an authenticate request is known by the key alone. */
function usersOf(samples: readonly Sample[]): number {
  const byKey = new Map<string, string>();
  for (const { key, user } of samples) if (user !== undefined) byKey.set(key, user);
  return new Set(samples.map(({ key, user }) => user ?? byKey.get(key) ?? key)).size;
}

function placesOf(samples: readonly Sample[]): string {
  const places = new Places();
  for (const source of new Set(samples.map((sample) => sample.source))) places.add(source);
  return `${places}`;
}

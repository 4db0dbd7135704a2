import { decodeUtf8 } from '../../bytes.ts';
import { parseCipher } from '../../crypto/cipher.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { SharedCipher } from '../../diagnosis/cipher-identification.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type PayloadField, payloadFields, payloadKinds } from '../../protocol/payload-fields.ts';
import { formatOf, pairsOf } from '../../protocol/user.ts';
import { counted } from '../../text.ts';
import { type CapturedExchange, jsonOf, knownText } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

interface Sample {
  readonly field: PayloadField;
  readonly payload: string;
  readonly key: string;
  readonly kind: (typeof payloadKinds)[PayloadField];
  readonly source: string;
}

/** This many payloads together single out one cipher. */
const mostSamples = 8;
/** The fields of user information don't differ much. */
const mostUserInfo = 16;

/** The cipher of the per-user key, from all payloads whose key is known, and what the user information is written in. */
export class PayloadLessons implements Lessons {
  readonly #agreeing: Sample[] = [];
  readonly #others: Sample[] = [];
  readonly #waiting: Sample[] = [];
  #cipher = new SharedCipher();
  /** Payloads that decrypt with the cipher, beyond the samples. */
  #confirmed = 0;
  readonly #userInfo: Sample[] = [];
  /** Where the key isn't known. */
  readonly #keyless = { payloads: 0, places: new Places(), userInfo: new Places() };

  observe({ key, request, response, source }: CapturedExchange): void {
    const result = jsonOf(response).result;
    const fields: JsonObject = { ...jsonOf(request), ...(isJsonObject(result) && result) };
    for (const field of payloadFields) {
      const payload = knownText(fields[field]);
      if (!payload) continue;
      if (key === undefined) {
        this.#keyless.payloads += 1;
        this.#keyless.places.add(source);
        if (field === 'ubifill') this.#keyless.userInfo.add(source);
        continue;
      }
      const sample = { field, payload, key: key.reveal(), kind: payloadKinds[field], source };
      const tried = this.#agreeing.length + this.#others.length + this.#waiting.length;
      if (tried < mostSamples) this.#waiting.push(sample);
      else if (this.#decrypt(sample) !== undefined) this.#confirmed += 1;
      else if (this.#others.length < 2 * mostSamples) this.#others.push(sample);
      if (field === 'ubifill' && this.#userInfo.length < mostUserInfo) this.#userInfo.push(sample);
    }
  }

  read(): readonly Lesson[] {
    const cipher = this.#cipherLesson();
    const userInfo = this.#userInfoLesson(cipher?.confidence ?? 'unknown');
    return [cipher, userInfo].filter((lesson) => lesson !== undefined);
  }

  /** The text of a payload under the cipher as far as it is known; undefined if it isn't. */
  #decrypt({ payload, key }: Sample): string | undefined {
    this.#weigh();
    const [best] = this.#cipher.candidates;
    if (best === undefined || best.confidence === 'possible') return undefined;
    const result = decryptPayload(payload, key, parseCipher(best.cipher));
    return result.ok ? decodeUtf8(result.plaintext) : undefined;
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

  #cipherLesson(): Lesson | undefined {
    this.#weigh();
    const setting = 'cipher';
    const [agreeing, others, keyless] = [this.#agreeing, this.#others, this.#keyless];
    const [best, ...rivals] = this.#cipher.candidates;
    if (best !== undefined && best.confidence !== 'possible') {
      const isSure = best.confidence === 'certain' && rivals.length === 0 && others.length === 0;
      const fields = [...new Set(agreeing.map(({ field }) => field))].join(', ');
      const users = new Set(agreeing.map(({ key }) => key)).size;
      const payloads = counted(agreeing.length + this.#confirmed, 'payload');
      const doubt =
        others.length > 0
          ? ` ${counted(others.length, 'payload')} can't be decrypted with it: ${placesOf(others)}.`
          : ` ${counted(rivals.length, 'other cipher')} gives a text that makes sense too.`;
      return {
        setting,
        value: best.cipher,
        confidence: isSure ? 'certain' : 'likely',
        evidence: `It decrypts ${payloads} (${fields}) of ${counted(users, 'user')}: ${placesOf(agreeing)}.${others.length + rivals.length > 0 ? doubt : ''}`,
        alternatives: rivals.map(({ cipher }) => cipher),
      };
    }
    const tried = [...agreeing, ...others];
    if (tried.length + keyless.payloads === 0) return undefined;
    const evidence =
      tried.length > 0
        ? `No cipher makes sense of ${counted(tried.length, 'payload')} (${placesOf(tried)}) with the keys that are known.`
        : `The key of ${counted(keyless.payloads, 'encrypted payload')} is not known (${keyless.places}).`;
    return { setting, confidence: 'unknown', evidence };
  }

  /** The form and the field names of the user information (2.3), once the cipher is known. */
  #userInfoLesson(ofCipher: Lesson['confidence']): Lesson | undefined {
    const setting = 'user-info-format';
    const [samples, { userInfo: keyless }] = [this.#userInfo, this.#keyless];
    const texts = samples.flatMap((sample) => {
      const text = this.#decrypt(sample);
      return text === undefined ? [] : { ...sample, format: formatOf(text), names: namesIn(text) };
    });
    const [first, ...formats] = new Set(texts.map(({ format }) => format));
    if (first !== undefined) {
      const same = texts.filter(({ format }) => format === first);
      const names = namesWithCounts(same.map((text) => text.names));
      return {
        setting,
        value: names === '' ? first : `${first}: ${names}`,
        confidence: formats.length > 0 ? 'likely' : ofCipher,
        evidence: `In ubifill of ${counted(same.length, 'registration')}: ${placesOf(same)}.`,
        alternatives: formats,
      };
    }
    const seen = samples.length + keyless.count;
    if (seen === 0) return undefined;
    const why =
      samples.length > 0 ? "can't be decrypted" : `has a key that is not known (${keyless})`;
    const evidence = `ubifill of ${counted(seen, 'registration')} ${why}.`;
    return { setting, confidence: 'unknown', evidence };
  }
}

function placesOf(samples: readonly Pick<Sample, 'source'>[]): string {
  const places = new Places();
  for (const source of new Set(samples.map((sample) => sample.source))) places.add(source);
  return `${places}`;
}

/** Names of fields; pieces without one have none. */
function namesIn(text: string): readonly string[] {
  return pairsOf(text).flatMap(({ name, path }) => (name === undefined ? [] : [path]));
}

/** In the order of the first text; a name that isn't in all says in how many it is. */
function namesWithCounts(texts: readonly (readonly string[])[]): string {
  const shown = [...new Set(texts.flat())].map((name) => {
    const count = texts.filter((names) => names.includes(name)).length;
    return count === texts.length ? name : `${name} (${count} of ${texts.length})`;
  });
  return shown.join(', ');
}

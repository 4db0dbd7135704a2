import { publicKeyIn } from '../../crypto/key-reading.ts';
import { recogniseKey } from '../../crypto/key-text.ts';
import { keepingLatest } from '../../latest-results.ts';
import { counted, excerptOf } from '../../text.ts';
import { type CapturedExchange, isCallback, jsonOf } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

/** Keys and requests beyond these aren't distinguished. */
const mostRemembered = 1000;
/** More characters than the PEM text of a key of 8,192 bits has. */
const longestKey = 4096;

/** Size and form of `public_key` (2.2), and how many different ones the service uses. */
export class PublicKeyLesson implements Lessons {
  readonly #forms = new Map<string, Places>();
  readonly #keys = new Set<string>();

  observe({ operation, request, source }: CapturedExchange): void {
    const text = jsonOf(request).public_key;
    if (operation !== 'key-exchange' || typeof text !== 'string') return;
    const form = formOf(text);
    const places = this.#forms.get(form) ?? new Places();
    places.add(source);
    if (this.#forms.size < mostRemembered) this.#forms.set(form, places);
    if (this.#keys.size < mostRemembered) this.#keys.add(excerptOf(text, longestKey));
  }

  read(): readonly Lesson[] {
    const forms = [...this.#forms];
    if (forms.length === 0) return [];
    const exchanges = forms.reduce((sum, [, places]) => sum + places.count, 0);
    const places = forms.map(([form, where]) => (forms.length > 1 ? `${form}: ${where}` : where));
    return [
      {
        setting: 'public_key',
        value: forms.map(([form]) => form).join('; '),
        confidence: 'certain',
        evidence: `${counted(this.#keys.size, 'key')} in ${counted(exchanges, 'key exchange')}: ${places.join('; ')}.`,
      },
    ];
  }
}

const encodings: Readonly<Record<string, string>> = {
  base64: 'Base64',
  pem: 'PEM',
  base64url: 'Base64url',
  hex: 'hexadecimal',
  jwk: 'JWK',
};

const formOf = keepingLatest(4, (text: string) => {
  const key = publicKeyIn(text)?.key;
  if (key === undefined) return 'unreadable';
  const { encoding = '' } = recogniseKey(text);
  const lines = /[\r\n]/.test(text) && encoding !== 'pem' ? ' with line breaks' : '';
  const { modulusBits, publicExponent } = key;
  return `RSA ${modulusBits} bits, exponent ${publicExponent}, ${encodings[encoding] ?? encoding}${lines}`;
});

interface Attempt {
  readonly at: number;
  readonly failed: boolean;
  readonly count: number;
}

/** Further calls within this time are attempts at the same thing. */
const longestPauseMs = 3_600_000;

/** How often and at what intervals the service repeats a callback that failed. */
export class RetryLesson implements Lessons {
  readonly #last = new Map<string, Attempt>();
  readonly #pausesMs: number[] = [];
  readonly #places = new Places();
  #most = 0;

  observe(exchange: CapturedExchange): void {
    const { operation, ptnCd, startedAt, source } = exchange;
    if (!isCallback(exchange) || ptnCd === undefined || startedAt === undefined) return;
    const name = `${operation} ${ptnCd}`;
    const before = this.#last.get(name);
    const pauseMs = before === undefined ? Number.POSITIVE_INFINITY : startedAt - before.at;
    const isRetry = before?.failed === true && pauseMs <= longestPauseMs;
    const count = isRetry ? before.count + 1 : 0;
    if (isRetry) {
      this.#places.add(source);
      this.#most = Math.max(this.#most, count);
      if (this.#pausesMs.length < mostRemembered) this.#pausesMs.push(pauseMs);
    }
    if (this.#last.size >= mostRemembered) this.#last.clear();
    this.#last.set(name, { at: startedAt, failed: hasFailed(exchange), count });
  }

  read(): readonly Lesson[] {
    if (this.#places.count === 0) return [];
    const pauses = this.#pausesMs.toSorted((left, right) => left - right);
    const [shortest = 0, longest = 0] = [pauses[0], pauses.at(-1)];
    const spacing =
      longest - shortest < 500 ? seconds(longest) : `${seconds(shortest)} to ${seconds(longest)}`;
    return [
      {
        setting: 'callback retries',
        value: `up to ${this.#most}, after ${spacing}`,
        confidence: 'likely',
        evidence: `${counted(this.#places.count, 'callback')} came again for the same user after a failure: ${this.#places}.`,
      },
    ];
  }
}

function hasFailed({ response, failure }: CapturedExchange): boolean {
  return failure !== undefined || response === undefined || jsonOf(response).code !== '0000';
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}

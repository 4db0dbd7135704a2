import { formatOf, pairsOf } from '../../protocol/user-info.ts';
import { counted } from '../../text.ts';
import type { CapturedExchange } from '../capture.ts';
import { type CipherLesson, payloadsOf } from './cipher.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

interface Sample {
  readonly payload: string;
  readonly key: string;
  readonly source: string;
}

/** At most this many are decrypted; the fields of user information don't differ much. */
const mostSamples = 16;

/** The form and the field names of the user information (2.3), once the cipher is known. */
export class UserInfoLesson implements Lessons {
  readonly #cipher: CipherLesson;
  readonly #samples: Sample[] = [];
  readonly #withoutKey = new Places();

  constructor(cipher: CipherLesson) {
    this.#cipher = cipher;
  }

  observe(exchange: CapturedExchange): void {
    const { key, source } = exchange;
    const found = payloadsOf(exchange).find(({ field }) => field === 'ubifill');
    if (found === undefined) return;
    if (key === undefined) this.#withoutKey.add(source);
    else if (this.#samples.length < mostSamples) {
      this.#samples.push({ payload: found.payload, key: key.reveal(), source });
    }
  }

  read(): readonly Lesson[] {
    const setting = 'user-info-format';
    const texts = this.#samples.flatMap(({ payload, key, source }) => {
      const text = this.#cipher.decrypt(payload, key);
      return text === undefined ? [] : [{ source, format: formatOf(text), names: namesIn(text) }];
    });
    const [first] = texts;
    if (first === undefined) return this.#unknown();
    const same = texts.filter(({ format }) => format === first.format);
    const others = [...new Set(texts.map(({ format }) => format))].slice(1);
    const confidence = others.length > 0 ? 'likely' : this.#cipher.confidence;
    const names = namesWithCounts(same.map((text) => text.names));
    const places = new Places();
    for (const { source } of same) places.add(source);
    return [
      {
        setting,
        value: names === '' ? first.format : `${first.format}: ${names}`,
        confidence,
        evidence: `In ubifill of ${counted(same.length, 'registration')}: ${places}.`,
        ...(others.length > 0 && { alternatives: others }),
      },
    ];
  }

  #unknown(): readonly Lesson[] {
    const seen = this.#samples.length + this.#withoutKey.count;
    if (seen === 0) return [];
    const reason =
      this.#samples.length > 0
        ? "can't be decrypted"
        : `has a key that is not known (${this.#withoutKey})`;
    const evidence = `ubifill of ${counted(seen, 'registration')} ${reason}.`;
    return [{ setting: 'user-info-format', confidence: 'unknown', evidence }];
  }
}

/** Names of fields; pieces without one have none. */
function namesIn(text: string): readonly string[] {
  return pairsOf(text).flatMap(({ name, path }) => (name === undefined ? [] : [path]));
}

/** In the order of the first text; a name that isn't in all says in how many it is. */
function namesWithCounts(texts: readonly (readonly string[])[]): string {
  const all = [...new Set(texts.flat())];
  const shown = all.map((name) => {
    const count = texts.filter((names) => names.includes(name)).length;
    return count === texts.length ? name : `${name} (${count} of ${texts.length})`;
  });
  return shown.join(', ');
}

import { type Attribute, attributePairs } from './user-info.ts';
import { escapeXml, formatOf, type Pair, pairsOf } from './user-info-formats.ts';

/** Who is in a model text, and who takes their place. */
export interface Renaming {
  readonly from?: string | undefined;
  readonly to: string;
}

/**
 * User information in the form of other user information: its fields in their order, its encoding,
 * everything that isn't an attribute as it is. Attributes that the model lacks are left out.
 *
 * @param user a user code that the model contains too, and the one in its place
 */
export function writeLike(
  model: string,
  attributes: Readonly<Record<Attribute, string>>,
  user?: Renaming,
): string {
  const found = attributePairs(model);
  const taken = new Set<Pair>(Object.values(found));
  const changes: (readonly [Pair, string])[] = Object.entries(found).map(([name, pair]) => [
    pair,
    attributes[name as Attribute],
  ]);
  if (user !== undefined) {
    const codes = pairsOf(model).filter((pair) => !taken.has(pair) && pair.value === user.from);
    for (const pair of codes) changes.push([pair, user.to]);
  }
  return changes.reduce((text, [pair, value]) => replaceValue(text, pair, value, model), model);
}

function replaceValue(text: string, { name, value }: Pair, next: string, model: string): string {
  const encode = encoderOf(model);
  const quoted = [encode(String(value)), String(value)].map(escapePattern).join('|');
  // between a name and its value there are only quotes, brackets, signs and blanks
  const label = name === undefined ? '' : `${escapePattern(name)}(?:[^\\p{L}\\d]|%5D){1,12}?`;
  const end = String.raw`(?![\p{L}\d@._%+-])`;
  for (const before of [label, '']) {
    const start = String.raw`(?<![\p{L}\d@._+-])`;
    const found = new RegExp(`(${start}${before})(?:${quoted})${end}`, 'u').exec(text);
    if (found === null) continue;
    const at = found.index + (found[1] ?? '').length;
    const isNumber = typeof value === 'number' && /^\d{1,15}$/.test(next);
    const written = typeof value === 'number' && !isNumber ? JSON.stringify(next) : encode(next);
    return text.slice(0, at) + written + text.slice(found.index + found[0].length);
  }
  return text;
}

/** How a value is written in a text of that form. */
function encoderOf(model: string): (value: string) => string {
  const format = formatOf(model);
  if (format === 'json') {
    const isAscii = /\\u[\da-f]{4}/i.test(model);
    return (value) => {
      const text = JSON.stringify(value).slice(1, -1);
      return isAscii ? text.replace(/[\u0080-\uffff]/g, escapeUnit) : text;
    };
  }
  if (format === 'xml') return escapeXml;
  if (format !== 'form') return (value) => value;
  const blank = model.includes('%20') ? '%20' : '+';
  const hasBareAt = model.includes('@');
  return (value) => {
    const text = encodeURIComponent(value).replaceAll('%20', blank);
    return hasBareAt ? text.replaceAll('%40', '@') : text;
  };
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

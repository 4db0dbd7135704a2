/** A schema of JSON Schema 2020-12, as far as the published schemas use it. */
type Schema = Readonly<Record<string, unknown>>;

/** Where a value breaks a schema, as "path: what"; empty where it doesn't. */
export function violations(value: unknown, schema: Schema, root = schema, path = '$'): string[] {
  const at = (what: string): string[] => [`${path}: ${what}`];
  const check = (part: unknown, inner = value, where = path): string[] =>
    violations(inner, part as Schema, root, where);
  const holds = (part: unknown): boolean => check(part).length === 0;
  const found: string[] = [];
  for (const [keyword, rule] of Object.entries(schema)) {
    switch (keyword) {
      case '$ref':
        found.push(...check(resolve(String(rule), root)));
        break;
      case 'type':
        if (![rule].flat().includes(typeOf(value)) && !isInteger(value, rule)) {
          found.push(...at(`is ${typeOf(value)}, not ${rule}`));
        }
        break;
      case 'const':
        if (value !== rule) found.push(...at(`is not ${rule}`));
        break;
      case 'enum':
        if (!(rule as unknown[]).includes(value)) found.push(...at(`is none of ${rule}`));
        break;
      case 'pattern':
        if (!new RegExp(String(rule)).test(String(value))) found.push(...at(`breaks ${rule}`));
        break;
      case 'minimum':
        if (Number(value) < Number(rule)) found.push(...at(`is below ${rule}`));
        break;
      case 'minLength':
        if (String(value).length < Number(rule)) found.push(...at('is too short'));
        break;
      case 'required':
        for (const name of rule as string[]) {
          if (!Object.hasOwn(Object(value), name)) found.push(...at(`has no ${name}`));
        }
        break;
      case 'properties':
        for (const [name, part] of Object.entries(Object(rule))) {
          const inner = Object(value)[name];
          if (inner !== undefined) found.push(...check(part, inner, `${path}.${name}`));
        }
        break;
      case 'items':
        for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
          found.push(...check(rule, item, `${path}[${index}]`));
        }
        break;
      case 'allOf':
        for (const part of rule as unknown[]) found.push(...check(part));
        break;
      case 'not':
        if (holds(rule)) found.push(...at('is what it must not be'));
        break;
      case 'if':
        found.push(...check((holds(rule) ? schema.then : schema.else) ?? {}));
        break;
      case 'additionalProperties':
        for (const name of Object.keys(Object(value))) {
          if (!Object.hasOwn(Object(schema.properties), name)) found.push(...at(`has ${name}`));
        }
        break;
      default:
        if (!known.has(keyword)) throw new TypeError(`the validator knows no ${keyword}`);
    }
  }
  return found;
}

const known = new Set([
  '$schema',
  '$id',
  '$defs',
  'title',
  'description',
  'format',
  'then',
  'else',
]);

function resolve(reference: string, root: Schema): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => Object(part)[name], root);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isInteger(value: unknown, rule: unknown): boolean {
  return [rule].flat().includes('integer') && Number.isInteger(value);
}

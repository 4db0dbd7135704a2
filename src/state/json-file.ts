import { decodeFile } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import {
  isJsonObject,
  type JsonObject,
  parseJsonText,
  placeOf,
  scanJson,
} from '../protocol/json.ts';

/** One kind of file, whose version is 1, or missing where a user wrote it. */
export interface FileFormat<T> {
  /** For messages: "config file". */
  readonly name: string;
  /** @throws what `damaged` makes of a problem */
  readonly parse: (json: JsonObject, damaged: (problem: string) => AuthcliError) => T;
}

export const newestVersion = 1;

export function jsonFileText(fields: object): string {
  return `${JSON.stringify({ version: newestVersion, ...fields }, undefined, 2)}\n`;
}

/**
 * Reads a versioned JSON file; undefined if it is empty, as if it were missing: a power cut took its
 * content. Errors never quote the text, which may be secret.
 *
 * @throws AuthcliError `config` for text that is not of this format, and for a newer version
 */
export function readJsonFile<T>(
  bytes: Uint8Array,
  file: string,
  { name, parse }: FileFormat<T>,
): T | undefined {
  const damaged = (problem: string) =>
    new AuthcliError('config', `The ${name} ${file} is damaged: ${problem}.`, {
      hint: 'Fix it by hand, or move it away to start anew; it was left as it is.',
      data: { file },
    });
  const text = decodeFile(bytes);
  if (text === undefined) throw damaged('it is not UTF-8 text');
  if (text.trim() === '') return undefined;
  const json = parseJsonText(text);
  if (json === undefined) {
    const { line, column } = placeOf(text, scanJson(text).fault?.offset ?? 0);
    throw damaged(`it is not JSON from line ${line}, column ${column} on`);
  }
  if (!isJsonObject(json)) throw damaged('it is not a JSON object');
  const version = json.version ?? 0;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0)
    throw damaged('its "version" is not a version number');
  if (version > newestVersion) {
    const message = `The ${name} ${file} has version ${version}; this authcli reads versions up to ${newestVersion}.`;
    const hint = `Use a newer authcli, or another ${name}; it was left as it is.`;
    throw new AuthcliError('config', message, { hint, data: { file, version } });
  }
  return parse(json, damaged);
}

import { decodeFile } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText, placeOf } from '../protocol/json.ts';
import { scanJson } from '../protocol/json-scanner.ts';

/** From one version of a file to the next. */
export type Migration = (json: JsonObject) => JsonObject;

/** One kind of file. */
export interface FileFormat {
  /** For messages: "config file". */
  readonly name: string;
  /** One for each version from 0 on; their number is the newest version. */
  readonly migrations: readonly Migration[];
}

/** The text of a file of the newest version. */
export function jsonFileText(fields: object, { migrations }: FileFormat): string {
  return `${JSON.stringify({ version: migrations.length, ...fields }, undefined, 2)}\n`;
}

/**
 * Reads a versioned JSON file and migrates it in memory; undefined if it is empty, as if it were
 * missing. Errors never quote the text, which may be secret.
 *
 * @throws AuthcliError `config` for text that is not a JSON object, and for a newer version
 */
export function readJsonFile(
  bytes: Uint8Array,
  file: string,
  format: FileFormat,
): JsonObject | undefined {
  const text = decodeFile(bytes);
  if (text === undefined) throw damaged(file, format, 'it is not UTF-8 text');
  if (text.trim() === '') return undefined;
  const json = parseJsonText(text);
  if (json === undefined) {
    const { line, column } = placeOf(text, scanJson(text).fault?.offset ?? 0);
    throw damaged(file, format, `it is not JSON from line ${line}, column ${column} on`);
  }
  if (!isJsonObject(json)) throw damaged(file, format, 'it is not a JSON object');
  return migrate(json, file, format);
}

/** The error of a file whose content is malformed. */
export function damaged(file: string, { name }: FileFormat, problem: string): AuthcliError {
  return new AuthcliError('config', `The ${name} ${file} is damaged: ${problem}.`, {
    hint: 'Fix it by hand, or move it away to start anew; it was left as it is.',
    data: { file, damaged: true },
  });
}

function migrate(json: JsonObject, file: string, format: FileFormat): JsonObject {
  const newest = format.migrations.length;
  const version = json.version ?? 0;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) {
    throw damaged(file, format, 'its "version" is not a version number');
  }
  if (version <= newest) {
    return format.migrations.slice(version).reduce((older, migration) => migration(older), json);
  }
  const message = `The ${format.name} ${file} has version ${version}; this authcli reads versions up to ${newest}.`;
  const hint = `Use a newer authcli, or another ${format.name}; it was left as it is.`;
  throw new AuthcliError('config', message, { hint, data: { file, version } });
}

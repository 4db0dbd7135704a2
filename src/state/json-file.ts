import { decodeUtf8 } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { placeOf } from '../protocol/json.ts';
import { scanJson } from '../protocol/json-scanner.ts';
import { isJsonObject, type JsonObject } from '../protocol/json-type.ts';

/** From the version that it stands at in the list to the next. */
export type Migration = (json: JsonObject) => JsonObject;

/** What a kind of file is read by. */
export interface FileFormat {
  /** For messages: "config file". */
  readonly name: string;
  /** One for each version from 0 on; the newest version is their number. */
  readonly migrations: readonly Migration[];
}

/**
 * Reads a versioned JSON file of the local state and brings it up to the newest version, in
 * memory only. An empty file is undefined: it counts as new.
 *
 * @throws AuthcliError `config` for text that is no JSON object (with line and column, never with
 * its text, which may be secret) and for a version newer than this program's
 */
export function readJsonFile(
  bytes: Uint8Array,
  file: string,
  format: FileFormat,
): JsonObject | undefined {
  const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '');
  if (text === undefined) throw damaged(file, format, 'it is not UTF-8 text');
  if (text.trim() === '') return undefined;
  const json = parse(text, file, format);
  if (!isJsonObject(json)) throw damaged(file, format, 'it is no JSON object');
  return migrate(json, file, format);
}

/** The error for a file that can't be understood; it is left as it is. */
export function damaged(file: string, { name }: FileFormat, problem: string): AuthcliError {
  return new AuthcliError('config', `The ${name} ${file} is damaged: ${problem}.`, {
    hint: 'Mend it by hand, or move it away to begin anew; it was left as it is.',
    data: { file, damaged: true },
  });
}

function parse(text: string, file: string, format: FileFormat): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Not as cause: the platform's message quotes the text.
    const { line, column } = placeOf(text, scanJson(text).fault?.offset ?? 0);
    throw damaged(file, format, `it is no JSON from line ${line}, column ${column} on`);
  }
}

function migrate(json: JsonObject, file: string, format: FileFormat): JsonObject {
  const newest = format.migrations.length;
  const version = json.version ?? 0;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) {
    throw damaged(file, format, 'its "version" is no version number');
  }
  if (version > newest) throw newer(file, format, version);
  const steps = format.migrations.slice(version);
  return steps.reduce((older, migration) => migration(older), json);
}

function newer(file: string, { name, migrations }: FileFormat, version: number): AuthcliError {
  const message = `The ${name} ${file} has version ${version}; this authcli reads versions up to ${migrations.length}.`;
  const hint = 'Use a newer authcli, or another config file; it was left as it is.';
  return new AuthcliError('config', message, { hint, data: { file, version } });
}

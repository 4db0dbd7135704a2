import { join } from 'node:path';
import { type JsonObject, ownProperty } from '../protocol/json-type.ts';
import type { ConfigHome } from './config-home.ts';
import { damaged, type FileFormat, readJsonFile } from './json-file.ts';
import { replaceFiles } from './replace-files.ts';

/** How many earlier key pairs are remembered; an application that lags further behind is rare. */
export const maxEarlierKeyPairs = 8;

interface KeyPairs {
  readonly current: string;
  /** The latest first. */
  readonly earlier: readonly string[];
}

/** The file's name in the folder of a profile. */
export const keyPairsFileName = 'service-key-pairs.json';
const format: FileFormat = {
  name: 'key pair file',
  migrations: [(json) => ({ ...json, version: 1 })], // version 0: written by hand
};

/** The key pairs with which the chosen profile plays the service, each as PKCS #8 PEM. */
export class ServiceKeyPairs {
  readonly #home: ConfigHome;

  constructor(home: ConfigHome) {
    this.#home = home;
  }

  /** The one in use; undefined where there was none yet. */
  get(): string | undefined {
    return this.#read()?.current;
  }

  /** Those in use before, the latest first; they explain a key wrapped for an earlier one. */
  earlier(): readonly string[] {
    return this.#read()?.earlier ?? [];
  }

  /** Puts a new one in use; the one before is remembered. */
  async put(privateKeyPem: string): Promise<void> {
    await this.#put(privateKeyPem, (before) => before?.current !== privateKeyPem);
  }

  /**
   * Puts one in use unless there is one already, and returns the one that is then in use: of
   * several processes that all make the first, one wins.
   */
  async putFirst(privateKeyPem: string): Promise<string> {
    return this.#put(privateKeyPem, (before) => before === undefined);
  }

  get #folder(): string {
    return this.#home.profileFolder(this.#home.profile);
  }

  #read(): KeyPairs | undefined {
    const file = join(this.#folder, keyPairsFileName);
    const bytes = this.#home.readFile(file);
    return bytes === undefined ? undefined : readKeyPairsFile(bytes, file);
  }

  async #put(pem: string, isWanted: (before: KeyPairs | undefined) => boolean): Promise<string> {
    const folder = this.#folder; // a profile that isn't there is refused before anything is made
    return this.#home.locked(async (lease) => {
      const before = this.#read();
      if (before !== undefined && !isWanted(before)) return before.current;
      this.#home.makeFolder(folder);
      const text = textOf(following(before, pem));
      await replaceFiles([{ file: join(folder, keyPairsFileName), text }], lease.confirm);
      await this.#home.makeConfigFile();
      return pem;
    });
  }
}

/**
 * Reads the file's bytes; an empty one is undefined.
 *
 * @throws AuthcliError `config` for a damaged or newer one
 */
export function readKeyPairsFile(bytes: Uint8Array, file: string): KeyPairs | undefined {
  const json = readJsonFile(bytes, file, format);
  return json === undefined ? undefined : keyPairsOf(json, file);
}

function following(before: KeyPairs | undefined, current: string): KeyPairs {
  if (before === undefined) return { current, earlier: [] };
  const earlier = [before.current, ...before.earlier].filter((pem) => pem !== current);
  return { current, earlier: earlier.slice(0, maxEarlierKeyPairs) };
}

function keyPairsOf(json: JsonObject, file: string): KeyPairs {
  const current = ownProperty(json, 'current');
  const earlier = ownProperty(json, 'earlier') ?? [];
  if (typeof current !== 'string') throw damaged(file, format, '"current" must be text');
  if (!Array.isArray(earlier) || !earlier.every((pem) => typeof pem === 'string')) {
    throw damaged(file, format, '"earlier" must be a list of texts');
  }
  return { current, earlier };
}

function textOf(pairs: KeyPairs): string {
  const json = { version: format.migrations.length, ...pairs };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

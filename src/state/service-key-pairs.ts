import { join } from 'node:path';
import { ownProperty } from '../protocol/json.ts';
import { damaged, type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import type { StateFiles } from './state-files.ts';

/** An application that uses an older key is rare. */
export const maxEarlierKeyPairs = 8;

interface KeyPairs {
  readonly current: string;
  /** The latest first. */
  readonly earlier: readonly string[];
}

/** In the folder of a profile. */
export const keyPairsFileName = 'service-key-pairs.json';
const format: FileFormat = {
  name: 'key pair file',
  migrations: [(json) => json], // version 0: written by hand
};

/** The key pairs with which the chosen profile plays the service, each as PKCS #8 PEM. */
export class ServiceKeyPairs {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get(): string | undefined {
    return this.#read()?.current;
  }

  /** Those of before, the latest first; they explain a key wrapped for an earlier one. */
  earlier(): readonly string[] {
    return this.#read()?.earlier ?? [];
  }

  /** Replaces the current one, which is then the latest earlier one. */
  async put(privateKeyPem: string): Promise<void> {
    await this.#put(privateKeyPem, (before) => before?.current !== privateKeyPem);
  }

  /** Stores one unless another process was faster, and returns the current one. */
  async putFirst(privateKeyPem: string): Promise<string> {
    return this.#put(privateKeyPem, (before) => before === undefined);
  }

  /** Keeps one that was used once behind the current one, if there is a current one. */
  async putEarlier(privateKeyPem: string): Promise<void> {
    const isNew = ({ current, earlier }: KeyPairs) =>
      ![current, ...earlier].includes(privateKeyPem);
    await this.#change((before) =>
      before !== undefined && isNew(before)
        ? followedBy(before.current, [privateKeyPem, ...before.earlier])
        : undefined,
    );
  }

  #read(): KeyPairs | undefined {
    return this.#files.readOwn(keyPairsFileName, readKeyPairsFile);
  }

  async #put(pem: string, isWanted: (before: KeyPairs | undefined) => boolean): Promise<string> {
    const after = await this.#change((before) =>
      before === undefined || isWanted(before) ? following(before, pem) : undefined,
    );
    return after?.current ?? pem;
  }

  /** Writes what `next` makes of the stored pairs, unless it is undefined; returns what is stored then. */
  async #change(
    next: (before: KeyPairs | undefined) => KeyPairs | undefined,
  ): Promise<KeyPairs | undefined> {
    const { folder } = this.#files; // a profile that doesn't exist is refused before anything is made
    return this.#files.locked(async (lease) => {
      const before = this.#read();
      const after = next(before);
      if (after === undefined) return before;
      const text = jsonFileText(after, format);
      await this.#files.replace(folder, [{ file: join(folder, keyPairsFileName), text }], lease);
      return after;
    });
  }
}

/** Undefined for an empty file. Throws AuthcliError `config` for a damaged or newer one. */
export function readKeyPairsFile(bytes: Uint8Array, file: string): KeyPairs | undefined {
  const json = readJsonFile(bytes, file, format);
  if (json === undefined) return undefined;
  const current = ownProperty(json, 'current');
  const earlier = ownProperty(json, 'earlier') ?? [];
  if (typeof current !== 'string') throw damaged(file, format, '"current" must be text');
  if (!Array.isArray(earlier) || !earlier.every((pem) => typeof pem === 'string')) {
    throw damaged(file, format, '"earlier" must be a list of texts');
  }
  return { current, earlier };
}

function following(before: KeyPairs | undefined, current: string): KeyPairs {
  if (before === undefined) return { current, earlier: [] };
  return followedBy(
    current,
    [before.current, ...before.earlier].filter((pem) => pem !== current),
  );
}

function followedBy(current: string, earlier: readonly string[]): KeyPairs {
  return { current, earlier: earlier.slice(0, maxEarlierKeyPairs) };
}

import { ownProperty } from '../text.ts';
import type { OwnFile, StateFiles } from './state-files.ts';

interface KeyPairs {
  readonly current: string;
  /** The latest first. */
  readonly earlier: readonly string[];
}

export const keyPairsFile: OwnFile<KeyPairs> = {
  fileName: 'service-key-pairs.json',
  name: 'key pair file',
  parse(json, damaged) {
    const current = ownProperty(json, 'current');
    const earlier = ownProperty(json, 'earlier') ?? [];
    if (typeof current !== 'string') throw damaged('"current" must be text');
    if (!Array.isArray(earlier) || !earlier.every((pem) => typeof pem === 'string')) {
      throw damaged('"earlier" must be a list of texts');
    }
    return { current, earlier };
  },
};

/** An application that uses an older key is rare. */
const mostEarlier = 8;

/** The key pairs with which the chosen profile plays the service, each as PKCS #8 PEM. */
export class ServiceKeyPairs {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  get(): string | undefined {
    return this.#files.readOwn(keyPairsFile)?.current;
  }

  /** Those of before, the latest first; they explain a key wrapped for an earlier one. */
  earlier(): readonly string[] {
    return this.#files.readOwn(keyPairsFile)?.earlier ?? [];
  }

  /** Stores one unless another process was faster, and returns the current one. */
  async putFirst(pem: string): Promise<string> {
    const first = { current: pem, earlier: [] };
    const stored = await this.#files.changeOwn(keyPairsFile, (before) =>
      before === undefined ? first : undefined,
    );
    return stored?.current ?? pem;
  }

  /** Stores one that was used once behind the current one, if there is a current one. */
  async putEarlier(pem: string): Promise<void> {
    await this.#files.changeOwn(keyPairsFile, (before) => {
      if (before === undefined) return undefined;
      const { current, earlier } = before;
      if ([current, ...earlier].includes(pem)) return undefined;
      return { current, earlier: [pem, ...earlier].slice(0, mostEarlier) };
    });
  }
}

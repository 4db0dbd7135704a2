import { join } from 'node:path';
import { Secret } from '../crypto/secret.ts';
import { isJsonObject } from '../protocol/json.ts';
import { ownProperty } from '../text.ts';
import { jsonFileText } from './json-file.ts';
import type { OwnFile, StateFiles } from './state-files.ts';

/** A certificate and its private key in PEM. */
interface StoredIdentity {
  readonly certificate: string;
  readonly privateKey: Secret;
}

/** The local CA of a profile, and the certificate with which its emulators listen. */
interface StoredTls {
  readonly authority: StoredIdentity;
  readonly server?: StoredIdentity | undefined;
}

/** Both with their keys. */
export const localTlsFile: OwnFile<StoredTls> = {
  fileName: 'local-tls.json',
  name: 'TLS file',
  parse(json, damaged) {
    const identity = (name: string): StoredIdentity | undefined => {
      const found = ownProperty(json, name);
      if (found === undefined) return undefined;
      const { certificate, private_key: privateKey } = isJsonObject(found) ? found : {};
      if (typeof certificate === 'string' && typeof privateKey === 'string') {
        return { certificate, privateKey: Secret.text(privateKey) };
      }
      throw damaged(`"${name}" must have "certificate" and "private_key" as text`);
    };
    const authority = identity('authority');
    if (authority === undefined) throw damaged('"authority" is missing');
    return { authority, server: identity('server') };
  },
};

/** The local CA of the chosen profile. */
export class LocalTlsFile {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  /** The certificate of the CA alone, for the programs that are to trust it; it exists once there is a CA. */
  get authorityFile(): string {
    return join(this.#files.folder, 'ca.pem');
  }

  read(): StoredTls | undefined {
    return this.#files.readOwn(localTlsFile);
  }

  /** Whether what programs trust is the CA that is stored. */
  isPublished({ authority }: StoredTls): boolean {
    const bytes = this.#files.read(this.authorityFile);
    return bytes !== undefined && Buffer.from(bytes).toString() === authority.certificate;
  }

  /** Stores what `next` makes of what is stored, under the lock: two processes never make two CAs. */
  async change(next: (before: StoredTls | undefined) => Promise<StoredTls>): Promise<StoredTls> {
    const { folder } = this.#files; // a missing profile is refused before anything is made
    return this.#files.locked(async (lease) => {
      const after = await next(this.read());
      const { authority, server } = after;
      const fields = { authority: fieldsOf(authority), server: server && fieldsOf(server) };
      const written = [
        { file: join(folder, localTlsFile.fileName), text: jsonFileText(fields) },
        { file: this.authorityFile, text: authority.certificate },
      ];
      await this.#files.replace(folder, written, lease);
      return after;
    });
  }
}

function fieldsOf({ certificate, privateKey }: StoredIdentity) {
  return { certificate, private_key: privateKey.reveal() };
}

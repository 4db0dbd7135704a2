import { join } from 'node:path';
import { Secret } from '../crypto/secret.ts';
import { isJsonObject, type JsonObject, ownProperty } from '../protocol/json.ts';
import { errnoCode, fileError } from './files.ts';
import { damaged, type FileFormat, jsonFileText, readJsonFile } from './json-file.ts';
import type { StateFiles } from './state-files.ts';

/** A certificate and its private key in PEM. */
interface StoredIdentity {
  readonly certificate: string;
  readonly privateKey: Secret;
}

/** The local CA of a profile, and the certificate with which its emulators listen. */
export interface StoredTls {
  readonly authority: StoredIdentity;
  readonly server?: StoredIdentity | undefined;
}

/** In the folder of a profile: both with their keys. */
export const localTlsFileName = 'local-tls.json';
/** Beside it: the certificate of the CA alone, for the programs that are to trust it. */
const authorityFileName = 'ca.pem';
const format: FileFormat = {
  name: 'TLS file',
  migrations: [(json) => json], // version 0: written by hand
};

/** The local CA of the chosen profile. */
export class LocalTlsFile {
  readonly #files: StateFiles;

  constructor(files: StateFiles) {
    this.#files = files;
  }

  /** The file with the certificate of the CA; it exists once there is a CA. */
  get authorityFile(): string {
    return join(this.#files.folder, authorityFileName);
  }

  read(): StoredTls | undefined {
    return this.#files.readOwn(localTlsFileName, readLocalTlsFile);
  }

  /** Whether what programs trust is the CA that is stored. */
  isPublished({ authority }: StoredTls): boolean {
    const bytes = this.#files.read(this.authorityFile);
    return bytes !== undefined && Buffer.from(bytes).toString() === authority.certificate;
  }

  /** Stores what `next` makes of what is stored, under the lock: two processes never make two CAs. */
  async change(next: (before: StoredTls | undefined) => Promise<StoredTls>): Promise<StoredTls> {
    const { folder } = this.#files; // a profile that doesn't exist is refused before anything is made
    return this.#files.locked(async (lease) => {
      const before = this.read();
      const after = await next(before);
      const { authority, server } = after;
      const fields = {
        authority: fieldsOf(authority),
        ...(server && { server: fieldsOf(server) }),
      };
      const written = [
        { file: join(folder, localTlsFileName), text: jsonFileText(fields, format) },
        { file: this.authorityFile, text: authority.certificate },
      ];
      await this.#files.replace(folder, written, lease);
      return after;
    });
  }

  /** Removes the CA and everything with it; whether there was one. */
  async remove(): Promise<boolean> {
    const { rmSync } = await import('node:fs');
    const { folder } = this.#files;
    return this.#files.locked((lease) => {
      lease.confirm();
      const removed = [authorityFileName, localTlsFileName].map((name) => {
        const file = join(folder, name);
        try {
          rmSync(file);
          return true;
        } catch (error) {
          if (errnoCode(error) === 'ENOENT') return false;
          throw fileError(error, 'remove', file);
        }
      });
      return removed.includes(true);
    });
  }
}

function fieldsOf({ certificate, privateKey }: StoredIdentity) {
  return { certificate, private_key: privateKey.reveal() };
}

/** Undefined for an empty file. Throws AuthcliError `config` for a damaged or newer one. */
export function readLocalTlsFile(bytes: Uint8Array, file: string): StoredTls | undefined {
  const json = readJsonFile(bytes, file, format);
  if (json === undefined) return undefined;
  const authority = identityIn(json, 'authority');
  if (authority === undefined) throw damaged(file, format, '"authority" is missing');
  return { authority, server: identityIn(json, 'server') };

  function identityIn(from: JsonObject, name: string): StoredIdentity | undefined {
    const found = ownProperty(from, name);
    if (found === undefined) return undefined;
    const certificate = isJsonObject(found) ? ownProperty(found, 'certificate') : undefined;
    const privateKey = isJsonObject(found) ? ownProperty(found, 'private_key') : undefined;
    if (typeof certificate === 'string' && typeof privateKey === 'string') {
      return { certificate, privateKey: Secret.text(privateKey) };
    }
    throw damaged(file, format, `"${name}" must have "certificate" and "private_key" as text`);
  }
}

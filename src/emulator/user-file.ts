import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decodeUtf8 } from '../bytes.ts';
import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject } from '../protocol/json-type.ts';
import { type ApplicationUser, createUserStore, type UserStore } from './users.ts';

const fileVersion = 1;

/** One user as the file has them. */
interface UserRow {
  readonly ptn_cd: string;
  readonly key: string;
  readonly super_passcode?: string;
  readonly user_info?: string;
  readonly state: ApplicationUser['state'];
}

/**
 * A user store in a JSON file of mode 0600 that survives the emulator: read once, replaced
 * atomically at every change. `put` resolves when the user is on disk; users that come while one
 * write is under way share the next. A missing or empty file is a store without users.
 *
 * @throws AuthcliError `config` where the file can't be read, is no users file, or is of a newer
 *   version; it then stays as it is
 */
export async function openUserFile(path: string): Promise<UserStore> {
  const store = createUserStore(await readUsers(path));
  const save = oneAtATime(() => writeUsers(path, store.list()));
  return {
    ...store,
    async put(user) {
      await store.put(user);
      await save();
    },
  };
}

/**
 * Runs `work` once for all who ask while it is under way: each caller waits for a run that began
 * after they asked.
 */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

async function readUsers(path: string): Promise<readonly ApplicationUser[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return new Uint8Array();
    throw unusable(path, 'can not be read', error);
  });
  if (bytes.length === 0) return [];
  const file = parseFile(path, bytes);
  if (typeof file.version === 'number' && file.version > fileVersion) {
    throw unusable(path, `is of version ${file.version}, which is newer than this program`);
  }
  if (file.version !== fileVersion || !Array.isArray(file.users)) {
    throw unusable(path, 'is no users file of the emulated application');
  }
  return file.users.map((row: unknown, index) => {
    if (!isUserRow(row)) throw unusable(path, `has no user in row ${index + 1} of "users"`);
    return fromRow(row);
  });
}

function parseFile(path: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes) ?? '');
    if (isJsonObject(value)) return value;
  } catch {
    // The parser's message would quote the file, which is full of keys.
  }
  throw unusable(path, 'is not a JSON object in UTF-8');
}

function isUserRow(row: unknown): row is UserRow {
  if (!isJsonObject(row)) return false;
  const { ptn_cd, key, super_passcode = '', user_info = '', state } = row;
  const texts = [ptn_cd, key, super_passcode, user_info];
  return (
    texts.every((text) => typeof text === 'string') && (state === 'known' || state === 'registered')
  );
}

function fromRow({ ptn_cd, key, super_passcode, user_info, state }: UserRow): ApplicationUser {
  return {
    ptnCd: ptn_cd,
    key: Secret.key(key),
    superPasscode: Secret.optional(super_passcode),
    userInfo: Secret.optional(user_info),
    state,
  };
}

function toRow({ ptnCd, key, superPasscode, userInfo, state }: ApplicationUser): UserRow {
  return {
    ptn_cd: ptnCd,
    key: key.reveal(),
    super_passcode: superPasscode?.reveal(),
    user_info: userInfo?.reveal(),
    state,
  };
}

/** Writes beside the file and renames, so that a reader sees the old file or the new one; links are followed. */
async function writeUsers(path: string, users: readonly ApplicationUser[]): Promise<void> {
  const text = JSON.stringify({ version: fileVersion, users: users.map(toRow) }, null, 2);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, `${text}\n`);
  } catch (error) {
    throw unusable(path, 'can not be written', error);
  }
}

async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.tmp`;
  try {
    // What a killed process left behind must not lend its mode, or the place a link of it points to.
    await rm(temporary, { force: true });
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function unusable(path: string, problem: string, cause?: unknown): AuthcliError {
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code;
  const message = `The users file ${path} ${problem}${reason === undefined ? '' : ` (${reason})`}.`;
  return new AuthcliError('config', message, {
    hint: 'Mend or move the file, or name another one. It was left as it is.',
    cause,
  });
}

import { AuthcliError } from '../errors.ts';

/** What the platform's error codes mean, in words, and the next step. */
const reasons: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  EACCES: ['permission denied', 'Look at the owner and the mode of the file and of its folder.'],
  EPERM: ['permission denied', 'Look at the owner and the mode of the file and of its folder.'],
  EROFS: ['the file system is read-only', 'Keep the config file in a folder that can be written.'],
  ENOSPC: ['the disk is full', 'Free some space, or keep the config file on another disk.'],
  EDQUOT: [
    'the disk quota is used up',
    'Free some space, or keep the config file on another disk.',
  ],
  EISDIR: ['it is a folder, not a file', 'Name a file.'],
  ENOTDIR: ['a file stands where a folder is needed', 'Name a file inside a folder.'],
  EEXIST: ['a file stands where a folder is needed', 'Move that file away.'],
  ENOENT: ['its folder is gone', 'Try again, or name another config file.'],
  ELOOP: ['its links lead in a circle', 'Mend the links, or name another config file.'],
  ENAMETOOLONG: ['the name is too long', 'Give the config file a shorter name.'],
  EMFILE: ['too many files are open', 'Run fewer processes at a time.'],
  ENFILE: ['too many files are open', 'Run fewer processes at a time.'],
};

/**
 * Says in words why the platform refused something about a file of the local state: an
 * AuthcliError `config` with the reason, a next step and the original as cause. An error that is
 * none of the platform's comes back as it is.
 *
 * @param action what was tried, as in "Can't write FILE"
 */
export function fileError(error: unknown, action: string, file: string): unknown {
  const code = errnoCode(error);
  if (code === undefined) return error;
  const [reason, hint] = reasons[code] ?? [`the system says ${code}`, ''];
  const message = `Can't ${action} ${file}: ${reason}.`;
  return new AuthcliError('config', message, { hint, cause: error, data: { file } });
}

/** Does `work`, with the platform's refusals said in words. */
export function withFileErrors<T>(action: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(error, action, file);
  }
}

/** The platform's code of an error, such as ENOENT; undefined for any other error. */
export function errnoCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

import { formatCipher } from '../../crypto/cipher-notation.ts';
import { exportPrivateKey } from '../../crypto/rsa-key.ts';
import type { LoadTask, Schedule } from '../../load/job.ts';
import { checkSignupSettings } from '../../load/scenario.ts';
import { isLoopback } from '../../protocol/endpoints.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import type { LoadOptions } from './load.ts';

/** What the threads do; its secrets are known to the redactor. */
export async function taskOf(options: LoadOptions, session: Session): Promise<LoadTask> {
  const { url, clientId, cipher, noUserInfo } = options;
  const userInfo = noUserInfo ? null : options.userInfo?.reveal();
  checkSignupSettings(cipher, userInfo);
  const keyPairs = await keyPairsOf(options, session);
  return { url: url.href, clientId, cipher: formatCipher(cipher), keyPairs, userInfo };
}

async function keyPairsOf(
  { privateKey }: LoadOptions,
  session: Session,
): Promise<readonly string[]> {
  for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
  if (privateKey.length === 0) return makeLoadKeyPairs(session);
  const texts = privateKey.map(({ key }) => exportPrivateKey(key));
  for (const text of texts) session.secrets.add(text);
  return texts;
}

/** Service key pairs that are used in turn. */
const keyPairCount = 4;
const defaultDurationMs = 10_000;
const defaultConcurrency = 16;
/** The most concurrent sign-ups at a set rate. */
const mostAtRate = 500;

/** The schedule that the flags of pace describe. */
export function scheduleOf({ rate, concurrency, signups, duration }: LoadOptions): Schedule {
  return {
    pace:
      rate === undefined
        ? { model: 'closed', atOnce: concurrency ?? defaultConcurrency }
        : { model: 'open', perSecond: rate, mostAtOnce: concurrency ?? mostAtRate },
    signups: signups ?? Number.POSITIVE_INFINITY,
    durationMs: duration ?? (signups === undefined ? defaultDurationMs : Number.POSITIVE_INFINITY),
  };
}

/** For example "16 at the same time, for 10 s". */
export function paceText({ pace, signups, durationMs }: Schedule): string {
  const until = Number.isFinite(signups) ? `${signups} of them` : `for ${seconds(durationMs)} s`;
  if (pace.model === 'closed') return `${pace.atOnce} at the same time, ${until}`;
  return `${pace.perSecond} a second, ${until}`;
}

/** On the machine of the application half of the cores, so that it has the others; elsewhere all. Each has a sign-up to do. */
export function threadsOf(options: LoadOptions, target: URL, parallelism: number): number {
  const { workers, rate, concurrency } = options;
  const atOnce = concurrency ?? (rate === undefined ? defaultConcurrency : mostAtRate);
  const sharing = isLoopback(target) ? Math.floor(parallelism / 2) : parallelism;
  return Math.max(1, Math.min(workers ?? sharing, atOnce));
}

/**
 * Demands that another machine is named twice: a load by mistake would sign up thousands of users.
 * @throws AuthcliError `usage`
 */
export function checkTarget(target: URL, allowHost: string | undefined): void {
  const { hostname } = target;
  if (isLoopback(target)) return;
  if (allowHost?.toLowerCase() === hostname.toLowerCase()) return;
  const seen = allowHost === undefined ? '' : ` --allow-host names ${allowHost}.`;
  throw usage(
    `${hostname} is not this machine, and a load signs up as many users as it can.${seen}`,
    `If you are allowed to load it, confirm with --allow-host ${hostname}`,
  );
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** The service key pairs of a load, as PEM. */
export async function makeLoadKeyPairs(session: Session): Promise<readonly string[]> {
  const progress = session.progress('Generating service key pairs');
  const pairs = await Promise.all(
    Array.from({ length: keyPairCount }, () => session.context.generateKeyPair()),
  ).finally(() => progress.stop());
  const texts = pairs.map(exportPrivateKey);
  for (const text of texts) session.secrets.add(text);
  return texts;
}

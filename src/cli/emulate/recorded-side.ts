import type { EmulatedSide } from '../../app/emulation.ts';
import { isSendable } from '../../client/headers.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { parseCipher } from '../../crypto/cipher-notation.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { ServiceUser } from '../../emulator/users.ts';
import { encodeUserInformation } from '../../protocol/user-info.ts';
import { RecordedBehaviour } from '../../relay/behaviour.ts';
import { Learner } from '../../relay/learn.ts';
import { RecordedParties } from '../../relay/parties.ts';
import { RecordedCallbacks } from '../../relay/recorded-callbacks.ts';
import { redacted } from '../../reports/redact.ts';
import { counted, quoted } from '../../text.ts';
import { typedTokens } from '../args/command-line.ts';
import { optional, toggle } from '../args/options.ts';
import { duration } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import type { RecordedService } from '../simulate/signup.ts';
import { exchangesOf } from '../traffic/traffic-files.ts';

export const recordedSideFlags = {
  from: optional(
    '--from <file>',
    'respond as the recorded side did, with its cipher, time zone, codes and latencies',
    { input: 'path' },
  ),
  noLatency: toggle('--no-latency', 'with --from, respond at once'),
} as const;

/** The settings of an emulated side that a recording may replace. */
interface SideSettings {
  readonly cipher: Cipher;
  readonly clientId: string;
  readonly secretKey?: Secret;
  readonly expireTimeZone?: string | undefined;
  readonly tokenTtl?: number;
}

/** The options of an emulated side, and what makes it respond as the recorded one did. */
export interface FromRecording<T> {
  readonly options: T;
  readonly respondsAs: (side: EmulatedSide) => EmulatedSide;
  /** How the service of the recording sends callbacks. */
  readonly recorded?: RecordedService;
  /** A user of the recording, if it has values. */
  readonly recordedUser: (ptnCd: string) => ServiceUser | undefined;
}

/**
 * Takes over the settings that a recording shows, but for those of a flag, and its responses.
 * @throws AuthcliError `usage` for a file without exchanges of that side
 */
export async function fromRecording<
  T extends SideSettings & { readonly from: string | undefined; readonly noLatency: boolean },
>(options: T, side: EmulatedSide['side'], session: Session): Promise<FromRecording<T>> {
  const { from, noLatency } = options;
  if (from === undefined) {
    return { options, respondsAs: (same) => same, recordedUser: () => undefined };
  }
  const [learner, parties] = [new Learner(), new RecordedParties()];
  const [behaviour, callbacks] = [new RecordedBehaviour(side), new RecordedCallbacks()];
  const unsendable = new Set<string>();
  for await (const exchange of exchangesOf([from], session)) {
    for (const header of exchange.response?.headers ?? [])
      if (!isSendable(header)) unsendable.add(quoted(header[0]));
    learner.observe(exchange);
    behaviour.observe(exchange);
    parties.observe(exchange);
    callbacks.observe(exchange);
  }
  // a service is also what sends callbacks
  const hasCallbacks = side === 'service' && !callbacks.isEmpty;
  if (behaviour.size === 0 && !hasCallbacks) throw nothingRecorded(from, side);
  const known = new Map(learner.read().map(({ setting, value }) => [setting, value]));
  const { line, flags } = session.typed;
  const given = new Set(typedTokens(line.rest, flags).map(({ key }) => key));
  const learned = <V>(key: string, setting: string, read: (text: string) => V) => {
    const value = known.get(setting);
    if (value === undefined || given.has(key)) return {};
    session.origins.set(key, { name: setting, value, source: from });
    return { [key]: read(value) };
  };
  session.note(
    `${counted(behaviour.size, 'kind')} of requests recorded in ${from}${hasCallbacks ? ', and callbacks, whose form its sign-ups have' : ''}`,
  );
  if (unsendable.size > 0)
    session.note(`headers that can't be sent are left out: ${[...unsendable].join(', ')}`);
  if (parties.clientId !== undefined) known.set('client-id', parties.clientId);
  const secretKey = given.has('secretKey') ? undefined : parties.secretKey;
  if (secretKey !== undefined) {
    session.origins.set('secretKey', { name: 'secret-key', value: redacted, source: from });
  }
  const replaced = {
    ...options,
    ...learned('cipher', 'cipher', parseCipher),
    ...learned('clientId', 'client-id', (clientId) => clientId),
    ...learned('expireTimeZone', 'expire-time-zone', (zone) => zone),
    ...learned('tokenTtl', 'token-ttl', duration),
    ...(secretKey && 'secretKey' in options && { secretKey }),
  };
  return {
    options: replaced,
    recorded: recordedService(callbacks, replaced.cipher),
    recordedUser: (ptnCd) => parties.user(ptnCd, replaced.cipher),
    respondsAs: (same) => ({
      ...same,
      handler: behaviour.replicate(same.handler, { latency: !noLatency }),
    }),
  };
}

function recordedService(callbacks: RecordedCallbacks, cipher: Cipher): RecordedService {
  let made: Promise<RsaPrivateKey | undefined> | undefined;
  return {
    callbacks,
    write: (attributes, ptnCd) =>
      callbacks.sendsUserInfo
        ? (callbacks.userInfo(attributes, ptnCd, cipher) ?? encodeUserInformation(attributes))
        : undefined,
    keyPair: async () => {
      const { publicKey } = callbacks;
      if (publicKey === undefined) return undefined;
      const { generateKeyPairLike } = await import('../../client/key-pair.ts');
      // OpenSSL refuses exponents that no service would use
      made ??= generateKeyPairLike(publicKey).catch(() => undefined);
      return made;
    },
  };
}

function nothingRecorded(file: string, side: EmulatedSide['side']): Error {
  const other = side === 'service' ? 'app' : 'service';
  return usage(
    `No response of ${side === 'service' ? 'a service' : 'an application'} was found in ${file}.`,
    `Give a recording of that side, or run \`authcli emulate ${other} --from ${file}\`.`,
  );
}

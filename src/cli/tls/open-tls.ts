import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readCertificates, type TransportOptions } from '../../client/transport-options.ts';
import type { Identity } from '../../crypto/certificates.ts';
import { type HostName, isPermitted, readHostName } from '../../crypto/host-names.ts';
import { isTlsFault, type TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { dayMs } from '../../protocol/expiry.ts';
import { fields } from '../../reports/human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { flag } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

/** What every command that listens takes. */
export const tlsFlags = {
  tls: flag('--tls', 'listen with https, with a certificate of the local CA of this profile'),
} as const;

interface Listening {
  readonly tls: boolean;
  readonly host: string;
  /** With those that aren't of TLS. */
  readonly fault: readonly string[];
}

/** With what a command listens, and what it says of that. */
export type OpenedTls = Awaited<ReturnType<typeof openServer>>;

/**
 * Prepares TLS by the flags; undefined for plain HTTP.
 * @throws AuthcliError `usage` for faults of TLS without --tls
 */
export async function openTls(options: Listening, session: Session) {
  const faults = options.fault.filter(isTlsFault);
  if (options.tls) return openServer(options.host, faults, session);
  const [fault] = faults;
  if (fault !== undefined) throw usage(`--fault ${fault} needs --tls.`, 'Add --tls.');
  return undefined;
}

/**
 * The options of a request to `url`, which may go to another command of this profile: its CA is trusted beside `ca`.
 * @throws AuthcliError `usage` for a `ca` that can't be read
 */
export async function trustOwnAuthority<Options extends Pick<TransportOptions, 'ca'>>(
  options: Options,
  url: URL,
  session: Session,
): Promise<Options> {
  const own = url.protocol === 'https:' ? (await session.state()).localTls.read() : undefined;
  if (own === undefined) return options;
  const given = options.ca === undefined ? [] : readCertificates(options.ca);
  return { ...options, ca: [...given, own.certificate].join('\n') };
}

/** With a certificate of its own, issued at each start by the CA of the profile. */
async function openServer(host: string, faults: readonly TlsFaultName[], session: Session) {
  const { localTls: store } = await session.state();
  const names = namesFor(host, session);
  const before = store.read();
  const authority = await store.keepOrMake(
    (stored) => isValid(stored, session.context.now()),
    () => newAuthority(session),
  );
  if (before === undefined) {
    session.note('made a local CA for this profile; nothing trusts it until you configure it');
  } else if (before.certificate !== authority.certificate) {
    session.warn(
      `the local CA had expired, or was about to, and was replaced: make your programs trust the new one, which is valid until ${new X509Certificate(authority.certificate).validTo}`,
    );
  }
  const named = faults.includes('tls-hostname') ? hostNames(['other-host.test']) : names;
  const issuer = faults.includes('tls-untrusted') ? await newAuthority(session) : authority;
  const identity = await newServer(named, issuer, faults.includes('tls-expired'), session);
  const authorityFile = store.authorityFile();
  const shownNames = named.map(({ name }) => name);
  const validTo = new Date(new X509Certificate(identity.certificate).validTo).toISOString();
  const programs = trustingPrograms(authorityFile);
  const hasOther = (session.context.env.NODE_EXTRA_CA_CERTS ?? '') !== '';
  return {
    server: { ...identity, oldProtocol: faults.includes('tls-version') } satisfies ServerTls,
    /** What clients are to trust. */
    authorityFile,
    /** For the first line of events. */
    event: {
      names: shownNames,
      valid_to: validTo,
      ca_file: authorityFile,
      trust: Object.fromEntries(programs.map(([name, ...lines]) => [name.toLowerCase(), lines])),
    },
    /** The rows that describe it. */
    rows: [
      [
        'certificate',
        escapeControls(`${shownNames.join(', ')}, valid until ${validTo.slice(0, 10)}`),
      ],
      ['CA', escapeControls(authorityFile)],
    ] as const,
    /** How other programs are made to trust the CA. */
    trust: [
      '',
      'To make a program trust its CA:',
      ...fields(
        programs.flatMap(([name, ...lines]) =>
          lines.map((line, index) => [index === 0 ? name : '', line] as const),
        ),
        session.style,
      ),
    ],
    /** What makes a child trust the CA: authcli and Node, which trust it beside the others. */
    environment: {
      AUTHCLI_CA: authorityFile,
      ...(!hasOther && { NODE_EXTRA_CA_CERTS: authorityFile }),
    },
  };
}

/** Names and addresses that certificates of this machine always have. */
const ownNames = ['localhost', '127.0.0.1', '::1'];

/** On all addresses of this machine it listens under each of them, and under its name. */
function namesFor(host: string, { context }: Session): readonly HostName[] {
  const given = readHostName(host);
  if (given === undefined)
    throw usage(
      `${quote(host)} is neither a host name nor an IP address.`,
      'Write it without scheme, port and path: app.test, 192.168.1.20 or ::1.',
    );
  const isEverywhere = ['0.0.0.0', '::'].includes(host);
  if (!isEverywhere && !isPermitted(given))
    throw usage(
      `The local CA does not sign for ${given.name}: only for this machine, private addresses, and names below localhost, test, example, local, internal, home.arpa and lan.`,
      'Listen on one of these.',
    );
  const others = isEverywhere ? hostNames(context.machineNames()).filter(isPermitted) : [given];
  const all = [...hostNames(ownNames), ...others];
  return [...new Map(all.map((each) => [each.name, each])).values()];
}

/** Each program, and the lines that make it trust a CA. Nothing here changes the system's own store. */
function trustingPrograms(file: string): readonly (readonly [name: string, ...lines: string[]])[] {
  const path = shellWord(file);
  const store = 'authcli-ca.p12';
  return [
    ['authcli', `--ca ${path}`],
    ['curl', `curl --cacert ${path}`],
    ['Node', `export NODE_EXTRA_CA_CERTS=${path}`],
    ['Python', `export SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path}`],
    [
      'Java',
      `keytool -importcert -noprompt -alias authcli -file ${path} -keystore ${store} -storepass changeit`,
      `java -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
    ],
  ];
}

/** Clients refuse server certificates that are valid for more than 398 days, the hour before included. */
const serverDays = 397;
const authorityDays = 3650;
/** Before its end, a new CA is made. */
const renewalMs = 30 * dayMs;
/** Of virtual machines and containers the clock may be behind. */
const clockSkewMs = 3_600_000;

async function newAuthority({ context }: Session): Promise<Identity> {
  const { now, randomBytes, generateKeyPair } = context;
  const { createAuthority } = await import('../../crypto/certificates.ts');
  // stores find a CA by its name: two of the same name would be mixed up
  const mark = Buffer.from(randomBytes(4)).toString('hex');
  return createAuthority({
    commonName: `authcli local CA ${mark}`,
    keyPair: await generateKeyPair(2048),
    serial: randomBytes(16),
    validFrom: now() - clockSkewMs,
    validTo: now() + authorityDays * dayMs,
  });
}

/** No certificate outlives its CA. */
async function newServer(
  names: readonly HostName[],
  issuer: Identity,
  isExpired: boolean,
  { context }: Session,
): Promise<Identity> {
  const { now, randomBytes, generateKeyPair } = context;
  const { issueServerCertificate } = await import('../../crypto/certificates.ts');
  const end = Date.parse(new X509Certificate(issuer.certificate).validTo);
  const order = {
    commonName: 'authcli local server',
    keyPair: await generateKeyPair(2048),
    serial: randomBytes(16),
    validFrom: isExpired ? now() - 60 * dayMs : now() - clockSkewMs,
    validTo: isExpired ? now() - dayMs : Math.min(now() + serverDays * dayMs, end),
    names,
  };
  return issueServerCertificate(order, issuer);
}

/** Whether it can be read, belongs to its key, and is valid for some time to come. */
function isValid({ certificate, privateKey }: Identity, now: number): boolean {
  try {
    const read = new X509Certificate(certificate);
    return (
      Date.parse(read.validFrom) <= now &&
      Date.parse(read.validTo) - renewalMs > now &&
      read.checkPrivateKey(createPrivateKey(privateKey.reveal()))
    );
  } catch {
    return false; // changed by hand
  }
}

function hostNames(texts: readonly string[]): readonly HostName[] {
  return texts.flatMap((text) => readHostName(text) ?? []);
}

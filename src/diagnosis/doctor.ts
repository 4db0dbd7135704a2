import type { Diagnosis, ErrorCode } from '../errors.ts';
import type { CertificateFacts } from './connection-facts.ts';

/** One finding of the examination. */
export interface DoctorCheck {
  /** `config-file`, or with the endpoint that it is about: `url/dns`. */
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'failure';
  /** What was found, in one sentence. */
  readonly message: string;
  /** The next step; empty where all is well. */
  readonly hint: string;
  /** What a failure counts as. */
  readonly code?: ErrorCode;
}

/** A connection that was tried to one address. */
export interface AddressFacts {
  readonly address: string;
  readonly family: 4 | 6;
  readonly durationMs: number;
  /** Why it could not be made. */
  readonly failure?: Diagnosis;
}

/** What was seen of a certificate, whether it is trusted or not. */
export interface TlsFacts {
  /** `TLSv1.3`; undefined where TLS could not be agreed. */
  readonly protocol?: string;
  /** The peer's own first. */
  readonly certificates: readonly CertificateFacts[];
  readonly failure?: Diagnosis;
  /** Certificates are accepted as they are: what is wrong with them is no failure then. */
  readonly insecure: boolean;
}

/** The answer to a request that asks for nothing. */
export interface RequestFacts {
  readonly status?: number;
  /** The value of `Allow` (RFC 9110 10.2.1). */
  readonly allow?: string;
  /** The value of `Date` (RFC 9110 6.6.1). */
  readonly date?: string;
  /** When the request was sent and the answer came, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The connection's, or the redirect. */
  readonly failure?: Diagnosis;
}

/** What was seen on the way to one endpoint; parts that were not reached are absent. */
export interface WayFacts {
  readonly url: URL;
  /** The host and port of the proxy that is used. */
  readonly proxy?: string;
  /** The Unix socket that stands in for every host. */
  readonly unixSocket?: string;
  /** Why the name has no address. */
  readonly lookupFailure?: Diagnosis;
  /** One of each family at most. */
  readonly addresses: readonly AddressFacts[];
  readonly tls?: TlsFacts;
  readonly request?: RequestFacts;
}

/** Fewer days than this are too few for a certificate that somebody has to renew. */
const fewDays = 14;

/** `Date` has whole seconds, and clocks that are kept by NTP differ by less than this. */
const clockTolerance = 30_000;

const dayMs = 86_400_000;

/** What is right and wrong on the way to an endpoint, in the order of the way. */
export function judgeWay(facts: WayFacts, now: number): readonly DoctorCheck[] {
  return [
    ...judgeProxy(facts),
    ...judgeLookup(facts),
    ...judgeFamilies(facts),
    ...judgeTls(facts, now),
    ...(facts.request === undefined ? [] : judgeRequest(facts.request, facts.url)),
  ];
}

/** A finding without anything to do. */
export function fine(id: string, message: string): DoctorCheck {
  return { id, status: 'ok', message, hint: '' };
}

/** A finding that may be meant. */
export function odd(id: string, message: string, hint: string): DoctorCheck {
  return { id, status: 'warning', message, hint };
}

/** A finding that has to be mended. */
export function wrong(id: string, { code, message, hint }: Failure): DoctorCheck {
  return { id, status: 'failure', message, hint, code };
}

type Failure = Pick<Diagnosis, 'message' | 'hint'> & { readonly code: ErrorCode };

function judgeProxy({ proxy, url, unixSocket }: WayFacts): readonly DoctorCheck[] {
  if (unixSocket !== undefined) {
    return [fine('proxy', `Requests go to the Unix socket ${unixSocket}, whatever host is named.`)];
  }
  return proxy === undefined
    ? [fine('proxy', `No proxy is used for ${url.host}.`)]
    : [fine('proxy', `Requests go through the proxy ${proxy}, which looks up the name itself.`)];
}

function judgeLookup(facts: WayFacts): readonly DoctorCheck[] {
  const { lookupFailure, addresses, url, proxy, unixSocket } = facts;
  if (lookupFailure !== undefined) return [wrong('dns', lookupFailure)];
  if (proxy !== undefined || unixSocket !== undefined) return [];
  const listed = addresses.map(({ address }) => address).join(', ');
  const isName = !addresses.some(({ address }) => url.hostname.includes(address));
  return [fine('dns', isName ? `${url.hostname} is ${listed}.` : `${listed} needs no look-up.`)];
}

/** One family that works is enough to get there; one that exists and doesn't makes it slow or fail at times. */
function judgeFamilies({ addresses }: WayFacts): readonly DoctorCheck[] {
  const works = addresses.some(({ failure }) => failure === undefined);
  return ([4, 6] as const).flatMap((family) => {
    const id = `ipv${family}`;
    const found = addresses.find((address) => address.family === family);
    if (found === undefined) {
      return addresses.length === 0 ? [] : [fine(id, `There is no IPv${family} address.`)];
    }
    const { address, failure, durationMs } = found;
    const took = `${Math.round(durationMs)} ms`;
    if (failure === undefined) return [fine(id, `${address} takes connections (${took}).`)];
    if (!works) return [wrong(id, failure)];
    const hint = `Let the server listen on ${address} too, or take that address out of the DNS: who tries it first waits, or fails.`;
    return [odd(id, `${address} is announced and takes no connections. ${failure.message}`, hint)];
  });
}

function judgeTls(facts: WayFacts, now: number): readonly DoctorCheck[] {
  const { tls, url } = facts;
  if (url.protocol === 'http:') return judgePlain(facts);
  if (tls === undefined) return [];
  const { failure, insecure, certificates, protocol = 'TLS' } = tls;
  if (failure !== undefined) {
    return insecure && certificates.length > 0
      ? [odd('tls', `${failure.message} It is accepted all the same.`, failure.hint)]
      : [wrong('tls', failure)];
  }
  const end = Math.min(...certificates.map(({ validTo }) => validTo));
  const days = Math.floor((end - now) / dayMs);
  const date = Number.isFinite(end) ? new Date(end).toISOString().slice(0, 10) : 'an unknown day';
  const left = `${days} day${days === 1 ? '' : 's'}`;
  const chain = `${protocol}, a chain of ${certificates.length}, issued by ${certificates[0]?.issuer}, valid until ${date} (${left})`;
  return days < fewDays
    ? [odd('tls', `${chain}.`, 'Renew the certificate now, and have the server load the new one.')]
    : [fine('tls', `${chain}.`)];
}

function judgePlain({ url, addresses, unixSocket }: WayFacts): readonly DoctorCheck[] {
  const isLoopback =
    unixSocket !== undefined ||
    url.hostname === 'localhost' ||
    (addresses.length > 0 && addresses.every(({ address }) => /^(?:127\.|::1$)/.test(address)));
  if (isLoopback) return [fine('tls', 'Plain HTTP, on this machine alone.')];
  return [
    odd(
      'tls',
      'Plain HTTP: whoever is on the way can read and change what is sent.',
      'Use https, with a certificate that the other side trusts.',
    ),
  ];
}

function judgeRequest(request: RequestFacts, url: URL): readonly DoctorCheck[] {
  const { failure, status } = request;
  if (failure?.code === 'redirect') {
    return [wrong('redirect', failure), ...judgeClock(request)];
  }
  if (failure !== undefined) return [wrong('request', failure)];
  if (status === undefined) return [];
  return [
    fine('redirect', 'No redirect.'),
    judgeStatus(request, status, url),
    ...judgeClock(request),
  ];
}

function judgeStatus({ allow, durationMs }: RequestFacts, status: number, url: URL): DoctorCheck {
  const answer = `OPTIONS ${url.pathname} was answered with ${status} in ${Math.round(durationMs)} ms`;
  const methods = allow?.split(',').map((method) => method.trim().toUpperCase());
  if (methods?.includes('POST')) return fine('request', `${answer}; it takes POST.`);
  if (status === 404 || status === 410) {
    const hint = 'Check the path of the URL. Some frameworks answer so to everything but POST.';
    return odd('request', `${answer}: there is nothing at that path.`, hint);
  }
  if (status === 401 || status === 403) {
    const hint =
      'Callbacks carry no credentials: except the path from the login, or add the header that is asked for.';
    return odd('request', `${answer}: something asks for a login first.`, hint);
  }
  if (status >= 500) {
    return odd(
      'request',
      `${answer}.`,
      'Look into the log of the other side for the same instant.',
    );
  }
  if (methods?.some((method) => method !== 'OPTIONS')) {
    const hint = 'Check the path of the URL; the interface calls it with POST.';
    return odd('request', `${answer}; it takes ${methods.join(', ')}, and not POST.`, hint);
  }
  return fine('request', `${answer}.`);
}

/** The clock of the other side, at the moment in the middle of the exchange. */
function judgeClock({ date, startedAt, durationMs }: RequestFacts): readonly DoctorCheck[] {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) {
    return [fine('clock', 'The answer has no Date to compare this clock with.')];
  }
  const difference = startedAt + durationMs / 2 - theirs;
  const seconds = Math.round(Math.abs(difference) / 1000);
  if (Math.abs(difference) <= clockTolerance) {
    return [fine('clock', `This clock and that of the other side differ by ${seconds} s at most.`)];
  }
  const side = difference > 0 ? 'ahead of' : 'behind';
  return [
    odd(
      'clock',
      `This clock is ${seconds} s ${side} that of the other side.`,
      'Have both clocks set by NTP: tokens and certificates look expired, or not valid yet, otherwise.',
    ),
  ];
}

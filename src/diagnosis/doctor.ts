import type { Diagnosis, ErrorCode } from '../errors.ts';
import { isLoopback, isLoopbackHost } from '../protocol/endpoints.ts';
import { dayMs } from '../protocol/expiry.ts';
import { counted } from '../text.ts';
import type { CertificateFacts } from './connection.ts';

export interface DoctorCheck {
  /** `config-file`, or with the endpoint that it is about: `url/dns`. */
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'failure';
  readonly message: string;
  readonly hint: string;
  readonly code?: ErrorCode;
}

export interface AddressFacts {
  readonly address: string;
  readonly family: 4 | 6;
  readonly durationMs: number;
  readonly failure?: Diagnosis;
}

export interface TlsFacts {
  /** `TLSv1.3`; undefined where TLS could not be agreed. */
  readonly protocol?: string;
  readonly certificates: readonly CertificateFacts[];
  readonly failure?: Diagnosis;
  readonly insecure: boolean;
}

export interface RequestFacts {
  readonly status?: number;
  /** The value of `Allow` (RFC 9110 10.2.1). */
  readonly allow?: string;
  /** The value of `Date` (RFC 9110 6.6.1). */
  readonly date?: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly failure?: Diagnosis;
}

/** What was seen on the way to one endpoint; parts that were not reached are absent. */
export interface WayFacts {
  readonly url: URL;
  readonly proxy?: string;
  readonly lookupFailure?: Diagnosis;
  /** One of each family at most. */
  readonly addresses: readonly AddressFacts[];
  readonly tls?: TlsFacts;
  readonly request?: RequestFacts;
}

/** A certificate that ends in fewer days has to be renewed. */
const fewDays = 14;

/** `Date` has whole seconds, and NTP keeps clocks within this. */
const clockTolerance = 30_000;

/** What is right and wrong on the way to an endpoint, in the order of the way. */
export function judgeWay(facts: WayFacts, now: number): readonly DoctorCheck[] {
  const { proxy, url, request } = facts;
  const way = proxy
    ? `Requests go through ${proxy}, which looks up the name itself.`
    : `No proxy is used for ${url.host}.`;
  return [
    fine('proxy', way),
    ...judgeLookup(facts),
    ...judgeFamilies(facts),
    ...judgeTls(facts, now),
    ...(request === undefined ? [] : judgeRequest(request, url)),
  ];
}

export function fine(id: string, message: string): DoctorCheck {
  return { id, status: 'ok', message, hint: '' };
}

export function odd(id: string, message: string, hint: string): DoctorCheck {
  return { id, status: 'warning', message, hint };
}

export function wrong(id: string, { code, message, hint }: Failure): DoctorCheck {
  return { id, status: 'failure', message, hint, code };
}

type Failure = Pick<Diagnosis, 'message' | 'hint'> & { readonly code: ErrorCode };

function judgeLookup(facts: WayFacts): readonly DoctorCheck[] {
  const { lookupFailure, addresses, url, proxy } = facts;
  if (lookupFailure !== undefined) return [wrong('dns', lookupFailure)];
  if (proxy !== undefined) return [];
  const listed = addresses.map(({ address }) => address).join(', ');
  const isName = !addresses.some(({ address }) => url.hostname.includes(address));
  return [fine('dns', isName ? `${url.hostname} is ${listed}.` : `${listed} needs no lookup.`)];
}

/** One family that works is enough; another that doesn't makes connections slow or fail at times. */
function judgeFamilies({ addresses }: WayFacts): readonly DoctorCheck[] {
  const works = addresses.some(({ failure }) => failure === undefined);
  return ([4, 6] as const).flatMap((family) => {
    const id = `ipv${family}`;
    const found = addresses.find((address) => address.family === family);
    if (found === undefined) {
      return addresses.length === 0 ? [] : [fine(id, `No IPv${family} address.`)];
    }
    const { address, failure, durationMs } = found;
    const took = `${Math.round(durationMs)} ms`;
    if (failure === undefined) return [fine(id, `${address} takes connections (${took}).`)];
    if (!works) return [wrong(id, failure)];
    const hint = `Let the server listen on ${address} too, or remove that address from DNS: clients that try it first have to wait, or fail.`;
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
      ? [odd('tls', `${failure.message} It is accepted anyway.`, failure.hint)]
      : [wrong('tls', failure)];
  }
  const end = Math.min(...certificates.map(({ validTo }) => validTo));
  const days = Math.floor((end - now) / dayMs);
  const date = Number.isFinite(end) ? new Date(end).toISOString().slice(0, 10) : 'an unknown day';
  const left = counted(days, 'day');
  const chain = `${protocol}, a chain of ${certificates.length}, issued by ${certificates[0]?.issuer}, valid until ${date} (${left})`;
  return days < fewDays
    ? [odd('tls', `${chain}.`, 'Renew the certificate now and reload the server.')]
    : [fine('tls', `${chain}.`)];
}

function judgePlain({ url, addresses }: WayFacts): readonly DoctorCheck[] {
  const isHere =
    addresses.length === 0
      ? isLoopback(url)
      : addresses.every(({ address }) => isLoopbackHost(address));
  if (isHere) return [fine('tls', 'Plain HTTP, but only on this machine.')];
  const hint = 'Use https, with a certificate that the other side trusts.';
  return [odd('tls', 'Plain HTTP: anyone on the way can read and change what is sent.', hint)];
}

function judgeRequest(request: RequestFacts, url: URL): readonly DoctorCheck[] {
  const { failure, status } = request;
  if (failure?.code === 'redirect') return [wrong('redirect', failure), ...judgeClock(request)];
  if (failure !== undefined) return [wrong('request', failure)];
  if (status === undefined) return [];
  const way = [fine('redirect', 'No redirect.'), judgeStatus(request, status, url)];
  return [...way, ...judgeClock(request)];
}

/** What frameworks respond to a method that a path has no handler for, beside 405. */
const unknownMethod: readonly number[] = [404, 410, 501];

function judgeStatus({ allow, durationMs }: RequestFacts, status: number, url: URL): DoctorCheck {
  const seen = `OPTIONS ${url.pathname} was answered with ${status} in ${Math.round(durationMs)} ms`;
  const methods = allow?.split(',').map((method) => method.trim().toUpperCase());
  if (methods?.includes('POST')) return fine('request', `${seen}; it takes POST.`);
  if (unknownMethod.includes(status)) return fine('request', `${seen}: nothing about POST.`);
  if (status === 401 || status === 403) {
    const hint =
      'Callbacks have no credentials: exempt the path from the login, or add the required header.';
    return odd('request', `${seen}: something asks for a login first.`, hint);
  }
  if (status >= 500)
    return odd('request', `${seen}.`, 'Check the log of the other side at that time.');
  if (methods?.some((method) => method !== 'OPTIONS')) {
    const hint = 'Check the path of the URL; the interface calls it with POST.';
    return odd('request', `${seen}; it takes ${methods.join(', ')}, and not POST.`, hint);
  }
  return fine('request', `${seen}.`);
}

/** The clock of the other side, at the moment in the middle of the exchange. */
function judgeClock({ date, startedAt, durationMs }: RequestFacts): readonly DoctorCheck[] {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) {
    return [fine('clock', 'The response has no Date to compare this clock with.')];
  }
  const difference = startedAt + durationMs / 2 - theirs;
  const seconds = Math.round(Math.abs(difference) / 1000);
  if (Math.abs(difference) <= clockTolerance) {
    return [fine('clock', `This clock and that of the other side differ by ${seconds} s at most.`)];
  }
  const side = difference > 0 ? 'ahead of' : 'behind';
  const message = `This clock is ${seconds} s ${side} that of the other side.`;
  const hint =
    'Synchronise both clocks with NTP; otherwise tokens and certificates look expired, or not yet valid.';
  return [odd('clock', message, hint)];
}

import { encodeUtf8 } from '../../bytes.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { contentType } from '../../protocol/endpoints.ts';
import type { EmulatorResponse } from '../http.ts';
import type { SigninCall } from './points.ts';
import { defineServiceFaults, type FaultRows, type Hooks, type ServicePoints } from './points.ts';

interface Outage {
  /** What the service does instead of responding to a token request. */
  readonly title: string;
  readonly diagnosis: DiagnosisCode;
  readonly response: (right: EmulatorResponse) => EmulatorResponse;
}

const htmlHeaders = { 'content-type': 'text/html;charset=utf-8' };
const maintenance = '<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>';

/** The header of a gzip file (RFC 1952 section 2.3), and no deflated data. */
const damagedGzip = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff);

/** What is met while a service is down, or something in front of it. */
const outages = {
  reset: {
    title: 'Resets the connection',
    diagnosis: 'reset',
    response: (right) => ({ ...right, delivery: { breakOff: 'reset' } }),
  },
  truncated: {
    title: 'Closes the connection in the middle of the response',
    diagnosis: 'reset',
    response: (right) => ({ ...right, delivery: { breakOff: 'truncate' } }),
  },
  silent: {
    title: 'Never responds',
    diagnosis: 'timeout',
    response: (right) => ({ ...right, delivery: { breakOff: 'silence' } }),
  },
  'status-500': {
    title: 'Responds with HTTP 500 and an empty body',
    diagnosis: 'empty-body',
    response: () => plain(500, '', {}),
  },
  'status-502': {
    title: 'Responds with HTTP 502 and a page in HTML',
    diagnosis: 'html-instead-of-json',
    response: () => plain(502, '<html><h1>502 Bad Gateway</h1></html>', htmlHeaders),
  },
  'status-503': {
    title: 'Responds with HTTP 503 and code "0000", without a result',
    diagnosis: 'result-missing',
    response: () => plain(503, '{"code":"0000","message":"Service Unavailable"}'),
  },
  html: {
    title: 'Responds with HTTP 200 and a page in HTML',
    diagnosis: 'html-instead-of-json',
    response: () => plain(200, maintenance, htmlHeaders),
  },
  'empty-body': {
    title: 'Responds with HTTP 200 and an empty body',
    diagnosis: 'empty-body',
    response: () => plain(200, ''),
  },
  'not-json': {
    title: 'Responds with HTTP 200 and text that only contains "code":"0000"',
    diagnosis: 'not-json',
    response: () => plain(200, 'OK, with "code":"0000"'),
  },
  'gzip-garbage': {
    title: 'Responds with HTTP 200 and a compressed body that is damaged',
    diagnosis: 'not-json',
    response: (right) => ({
      ...right,
      headers: { ...right.headers, 'content-encoding': 'gzip' },
      body: damagedGzip,
    }),
  },
  'redirect-302': { title: 'Redirects with HTTP 302', ...redirect(302) },
  'redirect-303': { title: 'Redirects with HTTP 303', ...redirect(303) },
  'redirect-307': { title: 'Redirects with HTTP 307', ...redirect(307) },
  'redirect-308': { title: 'Redirects with HTTP 308', ...redirect(308) },
} as const satisfies Readonly<Record<string, Outage>>;

type OutageName = keyof typeof outages;

export const outageFaults = defineServiceFaults({})({
  ...rowsOf('token'),
  ...rowsOf('authenticate'),
});

type Rows<Call extends SigninCall> = FaultRows<
  ServicePoints,
  Record<'check', never>,
  `${Call}-${OutageName}`
>;

function rowsOf<Call extends SigninCall>(call: Call): Rows<Call> {
  const entries = Object.entries<Outage>(outages).map(([name, { title, diagnosis, response }]) => [
    `${call}-${name}`,
    {
      title: `${title}, at ${call} requests`,
      diagnosis,
      apply: at(call, response),
    },
  ]);
  return Object.fromEntries(entries);
}

function at(call: SigninCall, change: Outage['response']): Hooks<ServicePoints> {
  return { response: (right, { operation }) => (operation === call ? change(right) : right) };
}

function plain(
  status: number,
  body: string,
  headers: EmulatorResponse['headers'] = { 'content-type': contentType },
): EmulatorResponse {
  return { status, headers, body: encodeUtf8(body) };
}

function redirect(status: number): Pick<Outage, 'diagnosis' | 'response'> {
  return {
    diagnosis: 'redirect',
    response: () => plain(status, '', { location: '/moved' }),
  };
}

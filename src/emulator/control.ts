import { AuthcliError } from '../errors.ts';
import { isLoopbackHost } from '../protocol/endpoints.ts';
import type { JsonObject } from '../protocol/json.ts';
import { parseRequestObject } from '../protocol/operations.ts';
import { type ListedFault, listed, type ResponsePoints } from './faults/points.ts';
import type { Switchboard } from './faults/switchboard.ts';
import { type EmulatorRequest, type EmulatorResponse, readableResponse } from './http.ts';
import type { Journal, JournalFilter } from './journal.ts';

/** The interface uses no path that begins so. */
export const controlPrefix = '/_authcli/';

export function isControlPath(path: string): boolean {
  return path.startsWith(controlPrefix) || `${path}/` === controlPrefix;
}

/** The JSON response to a request to a control path; `ok` says whether it was done. */
export async function respondToControl(
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorResponse> {
  const refused = refusedAccess(request);
  if (refused !== undefined) return failure(403, `${controlPrefix} ${refused}`);
  const offered = routes.filter(([, , , , needed]) => !needed || control[needed] !== undefined);
  const here = offered.filter(([, path]) => request.path === controlPrefix + path);
  if (here.length === 0) return listPaths(request, offered);
  const route = here.find(([method]) => method === request.method);
  if (route !== undefined) return runRoute(route, request, control);
  const allow = here.map(([method]) => method).join(', ');
  return failure(405, `This path accepts only ${allow}.`, {}, { allow });
}

async function runRoute(
  [, , , run]: Route,
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorResponse> {
  const { body, bodyTooLarge } = request;
  const reading = body.length === 0 ? ({ ok: true, value: {} } as const) : parseRequestObject(body);
  if (!reading.ok || bodyTooLarge) {
    return failure(400, 'The body must be one JSON object in UTF-8.');
  }
  try {
    const query = new URLSearchParams(request.query ?? '');
    const result = await run({ control, query, fields: reading.value });
    return readableResponse(200, { ok: true, ...(result as object) });
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    const { code, message, hint } = error;
    return failure(code === 'usage' ? 400 : 502, message, { code, hint });
  }
}

export function failure(
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): EmulatorResponse {
  const { code = 'usage', hint = '', ...rest } = more;
  return readableResponse(status, { ok: false, error: { code, message, hint }, ...rest }, headers);
}

/** The control paths, as the index of the prefix or with the error for an unknown path. */
function listPaths({ method, path }: EmulatorRequest, offered: readonly Route[]): EmulatorResponse {
  const paths = offered.map(([offers, name, use]) => `${offers} ${controlPrefix}${name}: ${use}`);
  return method === 'GET' && [path, `${path}/`].includes(controlPrefix)
    ? readableResponse(200, { ok: true, paths })
    : failure(404, 'Unknown control path.', { paths });
}

/** Headers by which a proxy says whom it forwards for (RFC 7239, RFC 9110 7.6.3). */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Why a control request is refused. Control paths show journals and switch faults, so they are for
 * programs on this machine only: a page of another site sends `Origin`, and one whose name was made
 * to point here (DNS rebinding) sends that name as `Host`.
 */
function refusedAccess({ peer, headers }: EmulatorRequest): string | undefined {
  if (peer === undefined || !isLoopbackHost(peer))
    return 'is available only on this machine (loopback).';
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || site === 'cross-site' || site === 'same-site')
    return 'is not available to web pages.';
  if (isForwarded(headers)) return 'does not answer through a proxy.';
  const address = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?$/i;
  return address.test(headers.host ?? '')
    ? undefined
    : 'is available only under an IP address or localhost.';
}

export function isForwarded(headers: EmulatorRequest['headers']): boolean {
  return forwarding.some((name) => headers[name] !== undefined);
}

export interface FaultControl
  extends Pick<Switchboard<ResponsePoints>, 'switchOn' | 'switchOff' | 'active'> {
  readonly catalogue: readonly ListedFault[];
}

/** The values for a sign-up; whoever runs it invents those that are missing. */
export interface SignupOrder {
  readonly ptnCd?: string;
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly superPasscode?: string;
  /** Where to, if the emulator was not started with it. */
  readonly callbackUrl?: string;
}

export interface Control {
  readonly side: 'application' | 'service';
  readonly clientId: string;
  readonly journal: Journal;
  readonly faults: FaultControl;
  /** Runs a sign-up at the application and returns what to show as JSON; without it the path is missing. */
  readonly signUp?: (order: SignupOrder) => Promise<Readonly<Record<string, unknown>>>;
  /** Issues a `ptn_token` as the client library does; without it the path is missing. */
  readonly issuePtnToken?: (ptnCd: string) => string;
  /** Forgets what earlier requests left behind. */
  readonly reset: () => void;
}

/** A method, a path after the prefix, what it is for, and what of a {@link Control} it needs to be there at all. */
type Route = readonly [
  method: string,
  path: string,
  purpose: string,
  run: (call: ControlCall) => unknown,
  needed?: 'signUp' | 'issuePtnToken',
];

interface ControlCall {
  readonly control: Control;
  readonly query: URLSearchParams;
  /** The JSON object of the body; empty where there is no body. */
  readonly fields: JsonObject;
}

const filters = '?ptn_cd= operation= path= code= fault= after= last=';
const resetting =
  'forget the users in memory, the tokens, and what faults remember; faults stay on';
const issuing = 'issue a ptn_token as the client library does: {"ptn_cd"}';
const signupFields = '{"ptn_cd"?, "email"?, "name"?, "phone"?, "super_passcode"?, "callback_url"?}';

const routes: readonly Route[] = [
  ['GET', 'health', 'the state of the emulator', health],
  ['GET', 'journal', `what it received and responded; ${filters}`, readJournal],
  ['DELETE', 'journal', 'clear the journal', clearJournal],
  ['GET', 'faults', 'all faults, and the active ones', listFaults],
  ['POST', 'faults', 'turn a fault on: {"name", "times"?, "ptn_cd"?}', switchOn],
  ['DELETE', 'faults', 'turn faults off; ?name= for one', switchOff],
  ['POST', 'reset', resetting, ({ control }) => control.reset()],
  ['POST', 'signup', `sign up a user: ${signupFields}`, signUp, 'signUp'],
  ['POST', 'ptn-token', issuing, issueToken, 'issuePtnToken'],
];

function health({ control: { side, clientId, journal, faults } }: ControlCall): unknown {
  return { side, client_id: clientId, calls: journal.total, faults: activeFaults(faults) };
}

function readJournal({ control: { journal }, query }: ControlCall): unknown {
  const text = (name: string) => query.get(name) ?? undefined;
  const filter: JournalFilter = {
    ptnCd: text('ptn_cd'),
    operation: text('operation'),
    path: text('path'),
    code: text('code'),
    fault: text('fault'),
    after: wholeNumber('after', text('after')),
    last: wholeNumber('last', text('last')),
  };
  return { total: journal.total, entries: journal.read(filter) };
}

function clearJournal({ control: { journal } }: ControlCall): unknown {
  return { removed: journal.reset() };
}

function listFaults({ control: { faults } }: ControlCall): unknown {
  return { active: activeFaults(faults), available: faults.catalogue.map(listed) };
}

function switchOn({ control: { faults }, fields }: ControlCall): unknown {
  const { times } = fields;
  if (times !== undefined && typeof times !== 'number') throw wrongField('times', 'a whole number');
  const name = textField(fields, 'name');
  if (name === undefined) throw wrongField('name', 'the name of a fault');
  faults.switchOn({ name, times, ptnCd: textField(fields, 'ptn_cd') });
  return { active: activeFaults(faults) };
}

function switchOff({ control: { faults }, query }: ControlCall): unknown {
  const removed = faults.switchOff(query.get('name') ?? undefined);
  return { removed, active: activeFaults(faults) };
}

function signUp({ control, fields }: ControlCall): unknown {
  return control.signUp?.({
    ptnCd: textField(fields, 'ptn_cd'),
    email: textField(fields, 'email'),
    name: textField(fields, 'name'),
    phone: textField(fields, 'phone'),
    superPasscode: textField(fields, 'super_passcode'),
    callbackUrl: textField(fields, 'callback_url'),
  });
}

function issueToken({ control, fields }: ControlCall): unknown {
  const ptnCd = textField(fields, 'ptn_cd');
  if (ptnCd === undefined || ptnCd === '') throw wrongField('ptn_cd', 'the code of a user');
  return { ptn_token: control.issuePtnToken?.(ptnCd), ptn_cd: ptnCd };
}

function activeFaults(faults: FaultControl): readonly Readonly<Record<string, unknown>>[] {
  return faults.active().map(({ name, times, ptnCd }) => ({ name, times, ptn_cd: ptnCd }));
}

function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw wrongField(name, 'a string');
}

function wholeNumber(name: string, text?: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw wrongField(name, 'a whole number');
  return Number(text);
}

function wrongField(name: string, wanted: string): AuthcliError {
  return new AuthcliError('usage', `${name} must be ${wanted}.`);
}

import { AuthcliError } from '../errors.ts';
import { isLoopbackHost } from '../protocol/endpoints.ts';
import type { JsonObject } from '../protocol/json.ts';
import { parseRequestObject } from '../protocol/request.ts';
import { type Control, type ControlRoute, routesOf } from './control-routes.ts';
import { type EmulatorRequest, type EmulatorResponse, readableResponse } from './http.ts';

export { type Control, controlRoutes, type SignupOrder } from './control-routes.ts';

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
  return refused === undefined ? runControl(request, control) : failure(403, refused);
}

/** The same for a caller whose access was checked before. */
export async function runControl(
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorResponse> {
  const offered = routesOf(control);
  const here = offered.filter(({ path }) => request.path === controlPrefix + path);
  if (here.length === 0) return listPaths(request, offered);
  const route = here.find(({ method }) => method === request.method);
  if (route !== undefined) return runRoute(route, request, control);
  const allow = here.map(({ method }) => method).join(', ');
  return failure(405, `This path accepts only ${allow}.`, {}, { allow });
}

async function runRoute(
  route: ControlRoute,
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorResponse> {
  const fields = readFields(request);
  if (fields === undefined) return failure(400, 'The body must be one JSON object in UTF-8.');
  try {
    const query = new URLSearchParams(request.query ?? '');
    const result = await route.run({ control, query, fields });
    return readableResponse(200, { ok: true, ...(result as object) });
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    const { code, message, hint } = error;
    return failure(code === 'usage' ? 400 : 502, message, { code, hint });
  }
}

function readFields({ body, bodyTooLarge }: EmulatorRequest): JsonObject | undefined {
  if (body.length === 0) return {};
  const reading = parseRequestObject(body);
  return reading.ok && !bodyTooLarge ? reading.value : undefined;
}

function failure(
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): EmulatorResponse {
  const { code = 'usage', hint = '', ...rest } = more;
  return readableResponse(status, { ok: false, error: { code, message, hint }, ...rest }, headers);
}

/** The control paths, as the index of the prefix or with the error for an unknown path. */
function listPaths(
  { method, path }: EmulatorRequest,
  offered: readonly ControlRoute[],
): EmulatorResponse {
  const paths = offered.map(
    (each) => `${each.method} ${controlPrefix}${each.path}: ${each.purpose}`,
  );
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
  if (peer === undefined || !isLoopbackHost(peer)) {
    return `${controlPrefix} is available only on this machine (loopback).`;
  }
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || site === 'cross-site' || site === 'same-site') {
    return `${controlPrefix} is not available to web pages.`;
  }
  if (isForwarded(headers)) {
    return `${controlPrefix} does not answer through a proxy.`;
  }
  if (!isAddressOrLocalhost(headers.host ?? '')) {
    return `${controlPrefix} is available only under an IP address or localhost.`;
  }
  return undefined;
}

/** Whether a proxy forwards a request for another client. */
export function isForwarded(headers: EmulatorRequest['headers']): boolean {
  return forwarding.some((name) => headers[name] !== undefined);
}

function isAddressOrLocalhost(host: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?$/i.test(host);
}

import { AuthcliError } from '../errors.ts';
import type { JsonObject } from '../protocol/json-type.ts';
import { parseRequestObject } from '../protocol/request.ts';
import { controlPrefix, refusedAccess } from './control-access.ts';
import { type Control, type ControlRoute, routesOf } from './control-routes.ts';
import { type EmulatorAnswer, type EmulatorRequest, readableAnswer } from './http.ts';

export { type Control, controlRoutes, type SignupOrder } from './control-routes.ts';

/** Whether `path` is one that steers the emulator. */
export function isControlPath(path: string): boolean {
  return path.startsWith(controlPrefix) || `${path}/` === controlPrefix;
}

/** Answers a request to a control path with JSON; `ok` says whether it was done. Never rejects for what the request holds. */
export async function answerControl(
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorAnswer> {
  const refused = refusedAccess(request);
  return refused === undefined ? runControl(request, control) : failure(403, refused);
}

/** The same for a caller whose right was examined elsewhere. */
export async function runControl(
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorAnswer> {
  const offered = routesOf(control);
  const here = offered.filter(({ path }) => request.path === controlPrefix + path);
  if (here.length === 0 && isIndex(request))
    return readableAnswer(200, { ok: true, paths: pathsOf(offered) });
  if (here.length === 0) return unknownPath(offered);
  const route = here.find(({ method }) => method === request.method);
  if (route !== undefined) return runRoute(route, request, control);
  const allow = here.map(({ method }) => method).join(', ');
  return failure(405, `This path takes ${allow}.`, {}, { allow });
}

async function runRoute(
  route: ControlRoute,
  request: EmulatorRequest,
  control: Control,
): Promise<EmulatorAnswer> {
  const fields = readFields(request);
  if (fields === undefined) return failure(400, 'The body must be one JSON object in UTF-8.');
  try {
    const query = new URLSearchParams(request.query ?? '');
    const result = await route.run({ control, query, fields });
    return readableAnswer(200, { ok: true, ...(result as object) });
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    return failure(error.code === 'usage' ? 400 : 502, error.message, {
      code: error.code,
      hint: error.hint,
    });
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
): EmulatorAnswer {
  const { code = 'usage', hint = '', ...rest } = more;
  return readableAnswer(status, { ok: false, error: { code, message, hint }, ...rest }, headers);
}

function isIndex({ method, path }: EmulatorRequest): boolean {
  return method === 'GET' && [path, `${path}/`].includes(controlPrefix);
}

function pathsOf(offered: readonly ControlRoute[]): readonly string[] {
  return offered.map(
    ({ method, path, purpose }) => `${method} ${controlPrefix}${path}: ${purpose}`,
  );
}

function unknownPath(offered: readonly ControlRoute[]): EmulatorAnswer {
  return failure(404, 'There is no such control path.', { paths: pathsOf(offered) });
}

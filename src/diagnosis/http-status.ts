import { capitalised } from '../text.ts';
import type { SituationId } from './error-situations.ts';

/** What an HTTP status says, what to change, and the situation that it is whatever the body is. */
export type StatusMeaning = readonly [cause: string, fix: string, situation?: SituationId];

const noLogin =
  'exempt this path from it, since the service has no session; in the application, compare its client_id with the one that was sent';
const isPost = 'register the route for it, since both callbacks are POST requests';

export const statusMeanings: Readonly<Record<number, StatusMeaning>> = {
  204: ['Status 204 has no body', 'respond with 200 and the JSON object'],
  304: ['Status 304 has no body', 'turn off caching and conditional responses for this path'],
  400: ['The framework refused the request before it reached the handler', 'check its log'],
  401: [
    'Something in front asks for a login, or the application refuses the client_id so',
    noLogin,
    'login-wanted',
  ],
  403: [
    'Something in front refuses the request, or the application the client_id',
    'exempt this path from login, CSRF protection and IP filters; in the application, compare its client_id with the one that was sent',
    'forbidden',
  ],
  404: [
    'Nothing responds at this path',
    'check the URL, the route and the prefix of the application',
    'no-route',
  ],
  405: ["POST isn't handled at this path", isPost, 'no-post'],
  406: [
    'The framework found no way to write the response',
    'let the handler produce application/json',
  ],
  411: [
    'The server requires a Content-Length, which every request has',
    'check the proxy in between',
    'length-required',
  ],
  413: ['The size limit of requests is too small for a callback', 'raise the limit', 'too-large'],
  415: [
    "The handler doesn't accept application/json;charset=utf-8",
    'make it consume JSON, whatever parameter follows the type',
    'media-type',
  ],
  419: ['CSRF protection refused the request', 'exempt this path from it', 'csrf'],
  421: [
    'The server does not serve the host name of the URL',
    'add it to the allowed hosts (Django ALLOWED_HOSTS, Rails config.hosts), or use the name that it serves',
    'host-refused',
  ],
  422: [
    'The framework refused the fields of the request before they reached the handler',
    'check its log',
  ],
  429: ['Something in front limits the request rate', 'exempt this path from it'],
  500: ['The application failed', 'find the stack trace in its log at that time'],
  501: ["POST isn't handled at this path", isPost, 'no-post'],
  502: [
    'A proxy responded because the application behind it closed the connection',
    'check its log',
    'proxy-alone',
  ],
  503: [
    "A proxy responded because the application isn't running",
    'start it, or wait until it is up',
    'proxy-alone',
  ],
  504: [
    'A proxy responded because the application took too long',
    'check what its handler is waiting for',
    'proxy-alone',
  ],
};

/** What an HTTP status says of a response without JSON; undefined where it says nothing. */
export function hintOfStatus(status: number): string | undefined {
  const [cause, fix] =
    statusMeanings[status] ?? (status >= 500 ? statusMeanings[500] : undefined) ?? [];
  return cause && `${cause}: ${fix}.`;
}

/** The same as two sentences. */
export function causeOfStatus(status: number): { readonly cause: string; readonly fix: string } {
  const [cause, fix] = statusMeanings[status] ?? statusMeanings[500] ?? ['', ''];
  return { cause: `${cause}.`, fix: `${capitalised(fix)}.` };
}

/** What an HTTP status means before anything in the body; undefined where the body decides. */
export function situationOfStatus(status: number | undefined): SituationId | undefined {
  return statusMeanings[status ?? 0]?.[2];
}

import { AuthcliError } from '../errors.ts';
import { excerptOf, hasControls, withoutEnd } from '../text.ts';

/** The method of every call, in both directions. */
export const method = 'POST';

/** The Content-type of every request and response, to the letter. */
export const contentType = 'application/json;charset=utf-8';

/** The service's paths below {auth_url} (section 4.2). */
export const tokenPath = '/process/token';
export const authenticatePath = '/process/authenticate';

/**
 * The URL that issues access tokens (section 4.2.1). A path in {auth_url} is kept as a prefix, and a query moves behind it.
 * @throws AuthcliError `usage` for what can't be an {auth_url}
 */
export function tokenUrl(authUrl: string): URL {
  return below(authUrl, tokenPath);
}

/** The URL that authenticates users (section 4.2.2): {auth_url}/process/authenticate; see `tokenUrl`. */
export function authenticateUrl(authUrl: string): URL {
  return below(authUrl, authenticatePath);
}

/** Whether a Content-Type header is JSON: `application/json` or a `+json` type, in any case, with any parameters. */
export function isJsonContentType(header: string | undefined): boolean {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.!#$&^-]+\+json$/.test(type);
}

const callPath = /\/process\/(?:token|authenticate)$/;

function below(authUrl: string, path: string): URL {
  const url = callbackUrl(authUrl);
  const prefix = withoutEnd(url.pathname, '/');
  if (callPath.test(prefix)) {
    const base = new URL(url);
    base.pathname = prefix.replace(callPath, '');
    const hint = `Give what comes before it: ${base.href.replace(/\/$/, '')}`;
    throw refusedUrl(authUrl, 'already ends in the path of one call', hint);
  }
  url.pathname = `${prefix}${path}`;
  return url;
}

/** Whether a Content-Type header is `application/json;charset=utf-8` (section 1); case, white space and quotes are free. */
export function saysJsonInUtf8(header: string | undefined): boolean {
  const [mediaType, ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  const isUtf8 = /^charset=(?:utf-8|"utf-8")$/i.test(charset ?? '');
  return mediaType?.toLowerCase() === 'application/json' && isUtf8;
}

const example = 'Write it in full, such as https://app.example.com/callback';

/**
 * The URL of an application's callback (section 4.1): http or https, used as it is.
 * @throws AuthcliError `usage` with what is wrong and what would be right; no message repeats a password
 */
export function callbackUrl(input: string): URL {
  const text = input.trim();
  if (text === '') throw new AuthcliError('usage', 'The URL is empty.', { hint: example });
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw withoutScheme(text);
  if (scheme !== 'http' && scheme !== 'https') {
    const hint = 'Use a URL that begins with http:// or https://.';
    throw refusedUrl(text, `has the scheme "${excerptOf(scheme, 20)}"`, hint);
  }
  return plainUrl(parse(text), text);
}

/** Whether the URL's host is this machine itself. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase();
  return (
    host === 'localhost' ||
    host === '[::1]' ||
    /^(?:127(?:\.\d{1,3}){3}|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(host)
  );
}

/** The same for a host name or IP address, however it is written. */
export function isLoopbackHost(host: string): boolean {
  const url = parse(`http://${host.includes(':') ? `[${host}]` : host}/`);
  return url !== undefined && isLoopback(url);
}

/** The error of a URL that can't be used; the URL is shown without its user name and password. */
function refusedUrl(text: string, what: string, hint: string, corrected?: string): AuthcliError {
  const data = corrected === undefined ? {} : { corrected };
  return new AuthcliError('usage', `The URL ${shown(text)} ${what}.`, { hint, data });
}

function plainUrl(url: URL | undefined, text: string): URL {
  if (url === undefined || /^[A-Za-z]+:\/\/[/?#\\]/.test(text) || hasSpace(text)) {
    throw refusedUrl(
      text,
      hasSpace(text) ? 'has white space inside it' : "can't be read: its host or port is invalid",
      example,
    );
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Leave them out; if a proxy or gateway wants them, send an Authorization header.';
    throw refusedUrl(text, 'contains a user name or password', hint);
  }
  if (text.includes('#')) {
    const hint = `Write ${shown(text.replace(/#.*$/s, ''))}`;
    throw refusedUrl(text, 'has a fragment, which is never sent', hint);
  }
  return url;
}

function hasSpace(text: string): boolean {
  return /\s/.test(text) || hasControls(text);
}

function withoutScheme(text: string): AuthcliError {
  const rest = text.replace(/^(?:https?:)?[/\\]*/i, '');
  const local = parse(`http://${rest}`);
  const guess = local && `${isLoopback(local) ? 'http' : 'https'}://${rest}`;
  const isLikely = guess !== undefined && !/\s/.test(guess);
  const hint = isLikely ? `Did you mean ${shown(guess)}?` : example;
  const corrected = isLikely ? withoutCredentials(guess) : undefined;
  return refusedUrl(text, 'has no scheme (http:// or https://)', hint, corrected);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function shown(text: string): string {
  return excerptOf(withoutCredentials(text), 200);
}

/** In a URL that can't be read the end of the password is unknown: everything up to the last `@` goes. */
function withoutCredentials(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  const broken = scheme !== '' && parse(text) === undefined;
  return scheme + rest.replace(broken ? /^.*@/s : /^[/\\]*[^/?#\\]*@/, '');
}

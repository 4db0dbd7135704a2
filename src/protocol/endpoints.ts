import { readHttpUrl, refusedUrl } from './http-url.ts';

/** The method of every call, in both directions. */
export const method = 'POST';

/** The Content-type of every request and answer, to the letter. */
export const contentType = 'application/json;charset=utf-8';

/** The service's paths below {auth_url} (section 4.2). */
export const tokenPath = '/process/token';
export const authenticatePath = '/process/authenticate';

/**
 * The URL that issues access tokens (section 4.2.1): {auth_url}/process/token. A path in
 * {auth_url} is kept as a prefix, one slash at its end or none is the same, and a query moves
 * behind the whole path. Throws AuthcliError `usage` for what can't be an {auth_url}.
 */
export function tokenUrl(authUrl: string): URL {
  return below(authUrl, tokenPath);
}

/** The URL that authenticates users (section 4.2.2): {auth_url}/process/authenticate; see `tokenUrl`. */
export function authenticateUrl(authUrl: string): URL {
  return below(authUrl, authenticatePath);
}

/**
 * The URL of an application's callback (section 4.1): http or https, used as it is, with its path
 * and query. Throws AuthcliError `usage` for any other.
 */
export function callbackUrl(url: string): URL {
  return readHttpUrl(url);
}

/** Whether a Content-Type header says JSON: `application/json` or a `+json` type, in any case, with any parameters. */
export function isJsonContentType(header: string | undefined): boolean {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || /^application\/[\w.!#$&^-]+\+json$/.test(type);
}

const callPath = /\/process\/(?:token|authenticate)$/;

function below(authUrl: string, path: string): URL {
  const url = readHttpUrl(authUrl);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (callPath.test(prefix)) {
    const base = new URL(url);
    base.pathname = prefix.replace(callPath, '');
    const hint = `Give what comes before it: ${base.href.replace(/\/$/, '')}`;
    throw refusedUrl(authUrl, 'already ends in the path of one call', hint);
  }
  url.pathname = `${prefix}${path}`;
  return url;
}

/**
 * Whether a Content-Type header says JSON in UTF-8 as the interface has it
 * (`application/json;charset=utf-8`). Case, white space and quotes are free (RFC 9110 8.3.1), the
 * charset is not.
 */
export function saysJsonInUtf8(header: string | undefined): boolean {
  const [mediaType, ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  return (
    mediaType?.toLowerCase() === 'application/json' &&
    charset !== undefined &&
    /^charset=(?:utf-8|"utf-8")$/i.test(charset)
  );
}

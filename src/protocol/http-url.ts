import { AuthcliError } from '../errors.ts';
import { excerptOf, hasControls } from '../text.ts';

const example = 'Write it in full, such as https://app.example.com/callback';

/**
 * Reads an http or https URL, white space around it allowed. Throws AuthcliError `usage` with
 * what is wrong and what would be right: no scheme, another scheme, no host, a bad port, a
 * fragment (never sent), or a user name and password (the interface authenticates in the body;
 * what a proxy in between wants goes into a header). No message repeats a password.
 */
export function readHttpUrl(input: string): URL {
  const text = input.trim();
  if (text === '') throw new AuthcliError('usage', 'The URL is empty.', { hint: example });
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw withoutScheme(text);
  if (scheme !== 'http' && scheme !== 'https') {
    const hint = 'The interface is spoken over http and https only.';
    throw refusedUrl(text, `has the scheme "${excerptOf(scheme, 20)}"`, hint);
  }
  return plainUrl(parse(text), text);
}

/** Whether the URL's host is this machine itself: `localhost`, 127.0.0.0/8 or [::1]. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

/** The error of a URL that can't be used; the URL is shown without its user name and password. */
export function refusedUrl(text: string, what: string, hint: string): AuthcliError {
  return new AuthcliError('usage', `The URL ${shown(text)} ${what}.`, { hint });
}

function plainUrl(url: URL | undefined, text: string): URL {
  if (url === undefined || /^[A-Za-z]+:\/\/[/?#\\]/.test(text) || hasSpace(text)) {
    throw refusedUrl(text, `can't be read: ${faultOf(text)}`, example);
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Leave them out; if a proxy or gateway wants them, send an Authorization header.';
    throw refusedUrl(text, 'holds a user name or password', hint);
  }
  if (text.includes('#')) {
    throw refusedUrl(
      text,
      'has a fragment, which is never sent',
      `Write ${shown(text.replace(/#.*$/s, ''))}`,
    );
  }
  return url;
}

function hasSpace(text: string): boolean {
  return /\s/.test(text) || hasControls(text);
}

function faultOf(text: string): string {
  if (hasSpace(text)) return 'there is white space inside it';
  if (/^https?:\/\/(?:[/?#\\]|$)/i.test(text)) return 'the host is missing';
  const port = /^https?:\/\/[^/?#@]*:([^/?#@:\]]*)(?:[/?#]|$)/i.exec(withoutCredentials(text))?.[1];
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65535)) {
    return `"${excerptOf(port, 20)}" is no port`;
  }
  return 'the host is none';
}

function withoutScheme(text: string): AuthcliError {
  const rest = text.replace(/^(?:https?:)?[/\\]*/i, '');
  const local = parse(`http://${rest}`);
  const guess = local && `${isLoopback(local) ? 'http' : 'https'}://${rest}`;
  const hint = guess && !/\s/.test(guess) ? `Did you mean ${shown(guess)}?` : example;
  return refusedUrl(text, 'has no scheme (http:// or https://)', hint);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function shown(text: string): string {
  return excerptOf(withoutCredentials(text), 200);
}

/** In a URL that can't be read nobody knows where the password ends: everything up to the last `@` goes. */
function withoutCredentials(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  const broken = scheme !== '' && parse(text) === undefined;
  return scheme + rest.replace(broken ? /^.*@/s : /^[/\\]*[^/?#\\]*@/, '');
}

import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';

/** Proxies by the scheme of the target, as URLs, which may contain credentials. */
export interface ProxyOptions {
  readonly http?: Secret;
  readonly https?: Secret;
  /** Targets reached directly: names, `.suffix`, `*`, each with or without `:port`, separated by commas or white space. */
  readonly noProxy?: string;
}

/** A proxy to go through. */
export interface ProxyServer {
  readonly url: URL;
  /** The value of `Proxy-Authorization` (RFC 7617 2), where the URL has credentials. */
  readonly authorization?: Secret;
}

/** Which proxy a URL goes through; undefined for none. */
export type ProxyChoice = (target: URL) => ProxyServer | undefined;

/**
 * Reads the proxy settings once. undici's EnvHttpProxyAgent doesn't say which proxy it chose, which
 * routes and diagnoses need.
 * @throws AuthcliError `usage` for a proxy that is not an http or https URL; credentials are not repeated
 */
export function chooseProxy(options: ProxyOptions = {}): ProxyChoice {
  const http = readProxy(options.http);
  const https = readProxy(options.https);
  const exempt = readNoProxy(options.noProxy ?? '');
  return (target) => {
    if (exempt(target)) return undefined;
    return target.protocol === 'https:' ? https : http;
  };
}

function readProxy(setting: Secret | undefined): ProxyServer | undefined {
  const text = setting?.reveal();
  if (text === undefined || text.trim() === '') return undefined;
  const full = text.includes('://') ? text.trim() : `http://${text.trim()}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    // Of a text that can't be parsed any part may be the password.
    const shown = url === undefined ? '' : ` ${url.protocol}//${url.host}`.slice(0, 100);
    throw new AuthcliError('usage', `The proxy${shown} is not an http or https URL.`, {
      hint: 'A proxy looks like http://proxy.example:3128.',
    });
  }
  return { url: new URL(url.origin), authorization: authorizationOf(url) };
}

function authorizationOf(url: URL): Secret | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  return Secret.text(`Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone percent sign is literal, as in other clients
  }
}

function readNoProxy(text: string): (target: URL) => boolean {
  const rules = (text.toLowerCase().match(/[^\s,]+/g) ?? []).map(readRule);
  return (target) => rules.some((rule) => rule(target));
}

/** Loopback is not exempt: a developer may want to see that traffic in a proxy too. */
function readRule(entry: string): (target: URL) => boolean {
  if (entry === '*') return () => true;
  const [, host = entry, port] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
  const bare = unbracket(host);
  const suffix = /^\*?\./.test(bare) ? bare.replace(/^\*?\./, '') : undefined;
  return (target) => {
    if (port !== undefined && port !== portOf(target)) return false;
    const name = unbracket(target.hostname).replace(/\.$/, '');
    return suffix === undefined ? name === bare : name === suffix || name.endsWith(`.${suffix}`);
  };
}

/** A host without the brackets that a URL puts around an IPv6 address (RFC 3986 3.2.2). */
export function unbracket(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The port of a URL in digits, by default the scheme's. */
export function portOf(url: URL): string {
  return url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
}

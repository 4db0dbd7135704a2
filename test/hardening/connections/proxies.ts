import assert from 'node:assert/strict';
import { okResponse, type TestServer } from '../../support/fault-server.ts';
import { at, type ConnectionCase, type Lab, secretKey, seenBy, tokenResponse } from './lab.ts';
import { ended, refusedByServer } from './tls.ts';

type Env = Readonly<Record<string, string>>;

interface Proxied {
  readonly name: string;
  /** The arguments and variables that name the proxy. */
  readonly argv?: (proxy: string) => readonly string[];
  readonly env?: (proxy: string) => Env;
  readonly isProxied: boolean;
}

const dead = 'http://127.0.0.1:9';
const both = (proxy: string): Env => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy });
const except = (names: string) => (proxy: string) => ({ ...both(proxy), NO_PROXY: names });

/** Each of these for a plain target and for a TLS one. */
const proxied: readonly Proxied[] = [
  { name: '--proxy', argv: (proxy) => ['--proxy', proxy], isProxied: true },
  { name: 'HTTP_PROXY and HTTPS_PROXY', env: both, isProxied: true },
  {
    name: 'http_proxy and https_proxy, before those in capitals',
    env: (proxy) => ({ ...both(dead), http_proxy: proxy, https_proxy: proxy }),
    isProxied: true,
  },
  {
    name: 'the flag before the variables',
    argv: (proxy) => ['--proxy', proxy],
    env: () => both(dead),
    isProxied: true,
  },
  { name: 'AUTHCLI_PROXY', env: (proxy) => ({ AUTHCLI_PROXY: proxy }), isProxied: true },
  { name: 'NO_PROXY with the name', env: except('example.com,localhost'), isProxied: false },
  { name: 'NO_PROXY with a star', env: except('*'), isProxied: false },
  { name: 'NO_PROXY with a suffix', env: except('.localhost'), isProxied: false },
  { name: 'NO_PROXY with another name', env: except('host,local,calhost'), isProxied: true },
  { name: 'NO_PROXY with another port', env: except('localhost:1'), isProxied: true },
  { name: 'ALL_PROXY is not obeyed', env: (proxy) => ({ ALL_PROXY: proxy }), isProxied: false },
];

async function tryProxied({ argv, env, isProxied }: Proxied, lab: Lab, secure: boolean) {
  const target = secure ? await lab.secureTarget() : await lab.target();
  const proxy = await lab.proxy();
  const address = `http://localhost:${proxy.port}`;
  const own = [...(argv?.(address) ?? []), ...(secure ? ['--ca', lab.ca] : [])];
  ended(await lab.ask(target.url.origin, own, env?.(address)), 0);
  assert.equal(proxy.connections(), isProxied ? 1 : 0);
  if (isProxied) assertSeen(proxy, target, secure);
}

/** A tunnel shows name and port alone; a plain request is forwarded as a whole. */
function assertSeen(proxy: TestServer, target: TestServer, secure: boolean): void {
  const seen = seenBy(proxy);
  const line = secure ? `CONNECT localhost:${target.port} ` : `POST ${target.url.origin}/process/`;
  assert.ok(seen.startsWith(line), seen.slice(0, 60));
  assert.equal(seen.includes(secretKey), !secure);
}

const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
const withCredentials = (proxy: TestServer, pair = 'user:p%40ss') =>
  `http://${pair}@localhost:${proxy.port}`;

async function tryCredentials(lab: Lab, secure: boolean): Promise<void> {
  const target = secure ? await lab.secureTarget() : await lab.target();
  const trust = secure ? ['--ca', lab.ca] : [];
  const proxy = await lab.proxy({ authorization });
  const good = ['--proxy', withCredentials(proxy), '--trace', '--curl', ...trust];
  const asked = await lab.ask(target.url.origin, good);
  ended(asked, 0);
  assert.doesNotMatch(asked.stderr, /p@ss|p%40ss|dXNlcjpwQHNz/);
  if (secure) assert.doesNotMatch(seenBy(target), /proxy-authorization/i);
  const bad = ['--proxy', withCredentials(proxy, 'user:wrong'), ...trust];
  ended(await lab.ask(target.url.origin, bad), 3, 'protocol-error');
  const none = ['--proxy', withCredentials(proxy, 'user'), ...trust];
  ended(await lab.ask(target.url.origin, none), 3, 'protocol-error');
}

/** Through proxies, which see no more than they must. */
export const proxyCases: readonly ConnectionCase[] = [
  ...proxied.flatMap((each) => [
    { name: `${each.name}, http`, run: (lab: Lab) => tryProxied(each, lab, false) },
    { name: `${each.name}, https`, run: (lab: Lab) => tryProxied(each, lab, true) },
  ]),
  { name: 'credentials for a proxy, http', run: (lab) => tryCredentials(lab, false) },
  { name: 'credentials for a proxy, https', run: (lab) => tryCredentials(lab, true) },
  {
    name: 'a proxy behind TLS',
    run: async (lab) => {
      const proxy = await lab.proxy({ tls: lab.identity });
      const argv = ['--proxy', `https://localhost:${proxy.port}`];
      for (const target of [await lab.target(), await lab.secureTarget()]) {
        ended(await lab.ask(target.url.origin, [...argv, '--ca', lab.ca]), 0);
        ended(await lab.ask(target.url.origin, argv), 3, 'tls-untrusted');
      }
    },
  },
  {
    name: '--insecure is for the target, not for a proxy behind TLS',
    run: async (lab) => {
      const proxy = await lab.proxy({ tls: lab.identity });
      const target = await lab.secureTarget();
      const argv = ['--proxy', `https://localhost:${proxy.port}`, '--insecure'];
      ended(await lab.ask(target.url.origin, argv), 3, 'tls-untrusted');
      assert.equal(target.connections(), 0);
    },
  },
  {
    name: 'TLS options behind a proxy: verified, a client certificate, --insecure',
    run: async (lab) => {
      const proxy = await lab.proxy();
      const argv = ['--proxy', `http://localhost:${proxy.port}`];
      const target = await lab.secureTarget({ requestCert: true, ca: lab.authority.cert });
      ended(await lab.ask(target.url.origin, argv), 3, 'tls-untrusted');
      const client = lab.clientArguments(lab.issue());
      ended(await lab.ask(target.url.origin, [...argv, '--ca', lab.ca, ...client]), 0);
      refusedByServer(await lab.ask(target.url.origin, [...argv, '--ca', lab.ca]));
      ended(await lab.ask(target.url.origin, [...argv, '--insecure', ...client]), 0);
    },
  },
  {
    name: 'a certificate is judged by its name through a proxy too',
    run: async (lab) => {
      const proxy = await lab.proxy();
      const target = await lab.secureTarget(lab.issue({ names: ['elsewhere.example'] }));
      const argv = ['--proxy', `http://localhost:${proxy.port}`, '--ca', lab.ca];
      ended(await lab.ask(target.url.origin, argv), 3, 'tls-hostname');
    },
  },
  ...[
    ['502 for a tunnel', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n', 'protocol-error'],
    ['a tunnel that is no HTTP', 'SSH-2.0-x\r\n', 'protocol-error'],
    [
      'a redirect for a tunnel',
      'HTTP/1.1 302 F\r\nlocation: http://localhost:1/\r\ncontent-length: 0\r\n\r\n',
      'protocol-error',
    ],
  ].map(([name = '', refusal = '', code = '']) => ({
    name: `a proxy that responds with ${name}`,
    run: async (lab: Lab) => {
      const proxy = await lab.proxy({ refusal });
      const target = await lab.secureTarget();
      const argv = ['--proxy', `http://localhost:${proxy.port}`, '--ca', lab.ca];
      ended(await lab.ask(target.url.origin, argv), 3, code);
    },
  })),
  {
    name: 'a proxy that is not there, or none',
    run: async (lab) => {
      const target = await lab.target();
      ended(await lab.ask(target.url.origin, ['--proxy', dead]), 3, 'refused');
      for (const proxy of ['socks5://localhost:1', 'ftp://localhost', 'http://', '://x']) {
        ended(await lab.ask(target.url.origin, ['--proxy', proxy]), 2, 'usage');
      }
      assert.equal(target.connections(), 0);
    },
  },
  {
    name: 'a header is for the target, not for the proxy of a tunnel',
    run: async (lab) => {
      const proxy = await lab.proxy();
      const target = await lab.secureTarget();
      const argv = ['--proxy', `http://localhost:${proxy.port}`, '--ca', lab.ca];
      const header = ['--header', 'Authorization: Bearer for-the-target'];
      ended(await lab.ask(target.url.origin, [...argv, ...header]), 0);
      assert.doesNotMatch(seenBy(proxy), /for-the-target/);
    },
  },
];

/** A redirect would carry a body with secrets to another host, or turn it into a GET. */
const redirect = (status: number, location: string) =>
  Buffer.from(
    okResponse(tokenResponse, `location: ${location}\r\n`)
      .toString()
      .replace('200 OK', `${status} Go`),
  );

export const redirectCases: readonly ConnectionCase[] = [
  ...[301, 302, 303, 307, 308].map((status) => ({
    name: `${status} is not followed`,
    run: async (lab: Lab) => {
      const elsewhere = await lab.target();
      const target = await lab.target(undefined, redirect(status, at('localhost', elsewhere)));
      ended(await lab.ask(target.url.origin), 1, 'redirect');
      assert.deepEqual([target.connections(), elsewhere.connections()], [1, 0]);
    },
  })),
  {
    name: 'from https to http is not followed',
    run: async (lab) => {
      const elsewhere = await lab.target();
      const target = await lab.target(lab.identity, redirect(307, at('localhost', elsewhere)));
      ended(await lab.ask(target.url.origin, ['--ca', lab.ca]), 1, 'redirect');
      assert.equal(elsewhere.connections(), 0);
    },
  },
  {
    name: 'a challenge is not responded to',
    run: async (lab) => {
      const challenge = 'HTTP/1.1 401 No\r\nwww-authenticate: Basic\r\ncontent-length: 2\r\n\r\n{}';
      const target = await lab.target(undefined, challenge);
      const url = new URL(target.url.origin);
      ended(await lab.ask(url), 1, 'field-missing');
      assert.equal(seenBy(target).match(/POST /g)?.length, 1);
    },
  },
];

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { run } from '../../support/run.ts';
import { at, type ConnectionCase, type Lab, output, seenBy } from './lab.ts';
import { ended } from './tls.ts';

const name = 'shop.authcli.invalid';

/** Asks a server on loopback under a name that only --resolve knows. */
async function tryOverride(lab: Lab, override: (port: number) => readonly string[], env = {}) {
  const target = await lab.target();
  const asked = await lab.ask(at(name, target), override(target.port), env);
  return { target, asked };
}

const reached = (label: string, override: (port: number) => readonly string[]): ConnectionCase => ({
  name: label,
  run: async (lab) => {
    const { target, asked } = await tryOverride(lab, override);
    ended(asked, 0);
    assert.match(seenBy(target), new RegExp(`^host: ${name}:${target.port}\\r$`, 'm'));
  },
});

const unreached = (label: string, override: (port: number) => readonly string[], code = 'dns') => ({
  name: label,
  run: async (lab: Lab) => {
    const { target, asked } = await tryOverride(lab, override);
    ended(asked, code === 'usage' ? 2 : 3, code);
    assert.equal(target.connections(), 0);
  },
});

const resolve = (value: (port: number) => string) => (port: number) => ['--resolve', value(port)];

/** `--resolve` in every form, right and wrong. */
const overrides: readonly ConnectionCase[] = [
  reached(
    '--resolve leads a name to an address',
    resolve((port) => `${name}:${port}:127.0.0.1`),
  ),
  reached(
    '--resolve in capitals',
    resolve((port) => `${name.toUpperCase()}:${port}:127.0.0.1`),
  ),
  reached(
    '--resolve with a star',
    resolve((port) => `*:${port}:127.0.0.1`),
  ),
  reached('--resolve, the last of two', (port) => [
    ...['--resolve', `${name}:${port}:127.0.0.9`],
    ...['--resolve', `${name}:${port}:127.0.0.1`],
  ]),
  reached('--resolve, a name before a star', (port) => [
    ...['--resolve', `${name}:${port}:127.0.0.1`],
    ...['--resolve', `*:${port}:127.0.0.9`],
  ]),
  reached(
    '--resolve, another address where one refuses',
    resolve((port) => `${name}:${port}:[::1],127.0.0.1`),
  ),
  unreached(
    '--resolve for another port',
    resolve((port) => `${name}:${port === 1 ? 2 : 1}:127.0.0.1`),
  ),
  unreached(
    '--resolve for another name',
    resolve((port) => `other.invalid:${port}:127.0.0.1`),
  ),
  unreached(
    '--resolve to where nothing listens',
    resolve((port) => `${name}:${port}:127.0.0.9`),
    'refused',
  ),
  ...[
    '',
    'a',
    'a:443',
    'a:443:',
    'a:443:b',
    'a:0:127.0.0.1',
    'a:65536:127.0.0.1',
    'a:443:127.1',
    ':443:127.0.0.1',
    'a b:443:::1',
    '127.0.0.1:443:127.0.0.2',
    'a:443:[::1',
    '-a:443',
    '+a:443:127.0.0.1',
  ].map((value) =>
    unreached(`--resolve refuses "${value}"`, () => [`--resolve=${value}`], 'usage'),
  ),
  {
    name: 'AUTHCLI_RESOLVE',
    run: async (lab) => {
      const target = await lab.target();
      const env = { AUTHCLI_RESOLVE: `${name}:${target.port}:127.0.0.1` };
      ended(await lab.ask(at(name, target), [], env), 0);
    },
  },
  {
    name: '--resolve leaves the name in SNI and in the judgement of the certificate',
    run: async (lab) => {
      const asked: string[] = [];
      const tls: TlsOptions = {
        ...lab.issue({ names: ['*.authcli.invalid'], addresses: [] }),
        SNICallback: (server, callback) => {
          asked.push(server);
          callback(null);
        },
      };
      const target = await lab.target(tls);
      const to = (host: string) => [
        '--resolve',
        `${host}:${target.port}:127.0.0.1`,
        '--ca',
        lab.ca,
      ];
      ended(await lab.ask(at(name, target), to(name)), 0);
      const deeper = `a.${name}`; // RFC 9525 6.3: a star matches one label
      ended(await lab.ask(at(deeper, target), to(deeper)), 3, 'tls-hostname');
      assert.deepEqual(asked, [name, deeper]);
    },
  },
  {
    name: '--resolve for the name of a proxy',
    run: async (lab) => {
      const target = await lab.secureTarget();
      const proxy = await lab.proxy();
      const argv = ['--proxy', `http://proxy.invalid:${proxy.port}`, '--ca', lab.ca];
      const override = ['--resolve', `proxy.invalid:${proxy.port}:127.0.0.1`];
      ended(await lab.ask(target.url.origin, [...argv, ...override]), 0);
      ended(await lab.ask(target.url.origin, argv), 3, 'dns');
    },
  },
  {
    name: '--resolve is in the line of --curl, and curl takes it',
    run: async (lab) => {
      const target = await lab.target();
      const argv = ['--resolve', `${name}:${target.port}:127.0.0.1`, '--curl'];
      const asked = await lab.ask(at(name, target), argv);
      ended(asked, 0);
      const line = asked.stderr.split('\n').find((text) => text.startsWith('curl ')) ?? '';
      assert.match(await output('sh', ['-c', `${line} --silent --noproxy '*'`]), /"code":"0000"/);
      assert.equal(target.connections(), 2);
    },
  },
  {
    name: '--resolve is obeyed by doctor',
    run: async (lab) => {
      const target = await lab.target();
      const argv = ['doctor', '--url', at(name, target), '--json'];
      const override = ['--resolve', `${name}:${target.port}:127.0.0.1`];
      const { stdout } = await run([...argv, ...override], { configFile: lab.ca });
      const { checks } = JSON.parse(stdout) as { checks: { id: string; message: string }[] };
      const seen = checks.filter(({ id }) => id.startsWith('url/')).map(({ message }) => message);
      assert.match(seen.join('\n'), /127\.0\.0\.1/);
      assert.ok(target.connections() > 0);
    },
  },
];

/** Whether this machine has the loopback address of IPv6. */
async function hasIpv6(): Promise<boolean> {
  const server = createServer();
  const listening = once(server.listen(0, '::1'), 'listening');
  const is = await listening.then(
    () => true,
    () => false,
  );
  server.close();
  return is;
}

const ipv6: readonly ConnectionCase[] = [
  {
    name: 'an IPv6 address in the URL',
    run: async (lab) => {
      const target = await lab.target(undefined, undefined, '::1');
      ended(await lab.ask(at('[::1]', target)), 0);
      assert.match(seenBy(target), new RegExp(`^host: \\[::1\\]:${target.port}\\r$`, 'm'));
    },
  },
  {
    name: 'an IPv6 address in the URL, https',
    run: async (lab) => {
      const identity = lab.issue({ addresses: ['::1'] });
      const target = await lab.target(identity, undefined, '::1');
      ended(await lab.ask(at('[::1]', target), ['--ca', lab.ca]), 0);
    },
  },
  {
    name: 'an IPv6 address that the certificate has not',
    run: async (lab) => {
      const target = await lab.target(lab.identity, undefined, '::1');
      ended(await lab.ask(at('[::1]', target), ['--ca', lab.ca]), 3, 'tls-hostname');
    },
  },
  {
    name: '--resolve to an IPv6 address, in brackets and without',
    run: async (lab) => {
      const target = await lab.target(undefined, undefined, '::1');
      for (const address of ['[::1]', '::1', '0:0:0:0:0:0:0:1']) {
        const argv = ['--resolve', `${name}:${target.port}:${address}`];
        ended(await lab.ask(at(name, target), argv), 0);
      }
    },
  },
  {
    name: 'an IPv6 address through a proxy, http',
    run: async (lab) => {
      const proxy = await lab.proxy();
      const target = await lab.target(undefined, undefined, '::1');
      const argv = ['--proxy', `http://localhost:${proxy.port}`];
      ended(await lab.ask(at('[::1]', target), argv), 0);
      assert.match(seenBy(proxy), new RegExp(`^POST http://\\[::1\\]:${target.port}/`));
    },
  },
  {
    name: 'NO_PROXY with an IPv6 address',
    run: async (lab) => {
      const target = await lab.target(undefined, undefined, '::1');
      const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '[::1]' };
      ended(await lab.ask(at('[::1]', target), [], env), 0);
    },
  },
];

/** Names and addresses; those of IPv6 where the machine has it. */
export async function addressCases(): Promise<readonly ConnectionCase[]> {
  return (await hasIpv6()) ? [...overrides, ...ipv6] : overrides;
}

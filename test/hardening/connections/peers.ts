import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { okResponse } from '../../support/fault-server.ts';
import { freePort } from '../../support/free-port.ts';
import { at, type ConnectionCase, type Lab, output, secretKey, tokenResponse } from './lab.ts';
import { ended } from './tls.ts';

/*
 * The same with programs that others wrote: OpenSSL's server judges our client certificate, Python
 * serves, and curl asks our servers what authcli asks them.
 */

/** Runs a server while `use` works with it; it is there once it has said `ready`. */
async function withServer(
  command: string,
  argv: readonly string[],
  ready: RegExp,
  use: (child: ChildProcess, text: string) => Promise<void>,
): Promise<void> {
  const child = spawn(command, argv, { timeout: 60_000, killSignal: 'SIGKILL' });
  child.on('error', () => {});
  try {
    await use(child, await said(child, ready));
  } finally {
    const gone = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await gone;
  }
}

function said(child: ChildProcess, ready: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      text += chunk;
      if (ready.test(text)) resolve(text);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('exit', () => reject(new Error(`it ended: ${text}`)));
  });
}

/** `openssl s_server`, which responds with its standard input. */
async function askOpenSsl(lab: Lab, server: readonly string[], argv: readonly string[]) {
  const port = await freePort();
  const files = [
    ...['-cert', lab.file('openssl.pem', lab.identity.cert)],
    ...['-key', lab.file('openssl.key', lab.identity.key)],
  ];
  const base = ['s_server', '-accept', `127.0.0.1:${port}`, ...files, '-CAfile', lab.ca];
  let asked: Awaited<ReturnType<Lab['ask']>> | undefined;
  await withServer('openssl', [...base, ...server], /ACCEPT/, async (child) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('secret_key')) child.stdin?.write(okResponse(tokenResponse));
    });
    asked = await lab.ask(`https://localhost:${port}`, [...argv, '--timeout', '10s']);
  });
  assert.ok(asked);
  return asked;
}

const python = `
import http.server, ssl, sys, socket
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        body = sys.argv[1].encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print('PORT', server.server_port, flush=True)
server.serve_forever()
`;

function withPython(tls: readonly string[], use: (port: string) => Promise<void>): Promise<void> {
  const argv = ['-u', '-c', python, tokenResponse, ...tls];
  return withServer('python3', argv, /PORT \d+\n/, (_, text) => use(/\d+/.exec(text)?.[0] ?? ''));
}

const curl = (...argv: string[]) =>
  output('curl', ['--silent', '--show-error', '--max-time', '20', '--data', '{}', ...argv]);

export const peerCases: readonly ConnectionCase[] = [
  ...['-tls1_2', '-tls1_3'].map((version) => ({
    name: `openssl s_server ${version}`,
    run: async (lab: Lab) => ended(await askOpenSsl(lab, [version], ['--ca', lab.ca]), 0),
  })),
  {
    name: 'openssl s_server judges the client certificate',
    run: async (lab) => {
      const strict = ['-Verify', '1', '-verify_return_error'];
      const client = lab.clientArguments(lab.issue());
      ended(await askOpenSsl(lab, strict, ['--ca', lab.ca, ...client]), 0);
      const stranger = lab.clientArguments(lab.issue({ issuer: lab.other }));
      const asked = await askOpenSsl(lab, strict, ['--ca', lab.ca, ...stranger]);
      assert.equal(asked.status, 3);
    },
  },
  {
    name: 'Python serves plainly, and through our proxy',
    run: (lab) =>
      withPython([], async (port) => {
        ended(await lab.ask(`http://127.0.0.1:${port}`), 0);
        const proxy = await lab.proxy();
        const argv = ['--proxy', `http://localhost:${proxy.port}`];
        ended(await lab.ask(`http://127.0.0.1:${port}`, argv), 0);
      }),
  },
  {
    name: 'Python wants a client certificate',
    run: async (lab) => {
      const files = [
        lab.file('python.pem', lab.identity.cert),
        lab.file('python.key', lab.identity.key),
        lab.ca,
      ];
      await withPython(files, async (port) => {
        const client = lab.clientArguments(lab.issue());
        ended(await lab.ask(`https://localhost:${port}`, ['--ca', lab.ca, ...client]), 0);
        ended(await lab.ask(`https://localhost:${port}`, client), 3, 'tls-untrusted');
      });
    },
  },
  {
    name: 'curl reaches what authcli reaches, by --resolve, --cacert and a proxy',
    run: async (lab) => {
      const target = await lab.secureTarget(lab.issue({ names: ['shop.invalid'] }));
      const proxy = await lab.proxy();
      const override = ['--resolve', `shop.invalid:${target.port}:127.0.0.1`];
      const url = at('shop.invalid', target);
      assert.equal(
        await curl(...override, '--noproxy', '*', '--cacert', lab.ca, url),
        tokenResponse,
      );
      ended(await lab.ask(url, [...override, '--ca', lab.ca]), 0);
      const through = ['--proxy', `http://localhost:${proxy.port}`];
      const local = at('localhost', await lab.secureTarget());
      assert.equal(await curl(...through, '--cacert', lab.ca, local), tokenResponse);
      ended(await lab.ask(local, [...through, '--ca', lab.ca]), 0);
    },
  },
  {
    name: 'curl refuses what authcli refuses',
    run: async (lab) => {
      const target = await lab.secureTarget(lab.issue({ names: ['elsewhere.example'] }));
      await assert.rejects(curl('--noproxy', '*', '--cacert', lab.ca, target.url.origin), /60|51/);
      ended(await lab.ask(target.url.origin, ['--ca', lab.ca]), 3, 'tls-hostname');
      assert.doesNotMatch(JSON.stringify(target.received), new RegExp(secretKey));
    },
  },
];

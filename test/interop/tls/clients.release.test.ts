import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newProfile } from '../../support/side.ts';
import { startBrowser } from '../chromium/browser.ts';

/*
 * Programs that trust nothing but the CA of the profile, by the lines that --tls prints for them: one emulator
 * whose certificate is right, and one that is wrong. And a relay between them.
 */

const python = `
import ssl, sys, urllib.request, urllib.error
context = ssl.create_default_context()
context.verify_flags |= ssl.VERIFY_X509_STRICT
for url in sys.argv[1:]:
    headers = {'Content-Type': 'application/json;charset=utf-8'}
    request = urllib.request.Request(url, b'{}', headers)
    try:
        print(urllib.request.urlopen(request, context=context).status)
    except urllib.error.URLError:
        print('refused')
`;

const node = `
const headers = { 'content-type': 'application/json;charset=utf-8' };
for (const url of process.argv.slice(1)) {
  const sent = fetch(url, { method: 'POST', headers, body: '{}' });
  console.log(await sent.then(({ status }) => status, () => 'refused'));
}
`;

const curl = `for url; do curl -s -o /dev/null -w '%{http_code}\\n' --cacert "$CA" --noproxy '*' --json '{}' -H 'content-type: application/json;charset=utf-8' "$url" || true; done`;

/** Those of the line `export NAME=VALUE …`. */
function variablesIn([line = '']: readonly string[] = []): object {
  const pairs = line.replace('export ', '').split(' ');
  return Object.fromEntries(pairs.map((pair) => pair.split('=')));
}

const browser = startBrowser();

describe('with the CA of --tls alone', () => {
  it('curl, Python, Node and Java accept the right certificate and refuse the faults, also through a relay', async (test) => {
    const { listen, folder: cwd } = newProfile();
    const right = await listen(test, 'emulate', 'app', '--tls');
    const { trust, ca_file: ca } = right.tls;
    const faults = ['tls-expired', 'tls-hostname', 'tls-untrusted', 'tls-version'];
    const wrong = await Promise.all(
      faults.map((fault) => listen(test, 'emulate', 'app', '--tls', '--fault', fault)),
    );
    const relay = await listen(test, 'relay', '--to', `${right.url}/callback`, '--ca', ca, '--tls');
    const urls = [
      `${right.url}/callback`,
      `https://localhost:${new URL(right.url).port}/callback`,
      String(relay.callback_url),
      ...wrong.map(({ url }) => `${url}/callback`),
    ];
    const statuses = async (command: string, argv: readonly string[], variables: object = {}) => {
      const env = { PATH: process.env.PATH, ...variables };
      const { stdout } = await promisify(execFile)(command, [...argv, ...urls], { cwd, env });
      return stdout.trim().replaceAll('000', 'refused').split('\n');
    };
    const [importLine = '', runLine = ''] = trust.java ?? [];
    await promisify(execFile)('bash', ['-c', importLine], { cwd });
    const inJava = [...runLine.split(' ').slice(1), resolve('test/interop/tls/Post.java')];
    const inNode = ['--input-type=module', '-e', node];
    const all = {
      curl: await statuses('bash', ['-c', curl, 'curl'], { CA: ca }),
      python: await statuses('python3', ['-c', python], variablesIn(trust.python)),
      node: await statuses(process.execPath, inNode, variablesIn(trust.node)),
      java: await statuses('java', inJava),
    };
    const expected = ['200', '200', '200', 'refused', 'refused', 'refused', 'refused'];
    assert.deepEqual(all, { curl: expected, python: expected, node: expected, java: expected });
  });

  it('signin signs in at the service', async (test) => {
    const { listen, run } = newProfile();
    const app = await listen(test, 'emulate', 'app');
    const user = ['--url', `${app.url}/callback`, '--ptn-cd', 'alice'];
    assert.equal((await run('simulate-signup', ...user)).status, 0);
    const { url, tls } = await listen(test, 'emulate', 'service', '--tls');
    const issue = ['issue-ptn-token', '--ptn-cd', 'alice', '--quiet', '--show-secrets'];
    const token = (await run(...issue)).stdout.trim();
    const account = ['--client-id', 'authcli-client', '--secret-key', 'authcli-emulated-secret'];
    const to = ['--auth-url', url, '--ca', tls.ca_file, '--ptn-token', token];
    const { status, stdout, stderr } = await run('signin', ...to, ...account);
    assert.equal(status, 0, stdout + stderr);
  });

  it('the page is served to a browser, where the certificate has its key', async (test) => {
    const { listen, run } = newProfile();
    const { url, ui_url = '', tls } = await listen(test, 'emulate', 'app', '--tls', '--ui');
    assert.match(ui_url, /^https:/);
    const page = await browser().newPage({ ignoreHTTPSErrors: true });
    const response = await page.goto(ui_url);
    assert.equal(response?.status(), 200);
    assert.match((await response?.securityDetails())?.issuer ?? '', /^authcli local CA/);
    const signUp = ['simulate-signup', '--url', `${url}/callback`, '--ca', tls.ca_file];
    assert.equal((await run(...signUp)).status, 0);
  });
});

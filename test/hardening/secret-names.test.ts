import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startApplication } from '../../src/index.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { workspace } from '../cli/workspace.ts';
import { okResponse, startFaultServer } from '../support/fault-server.ts';
import { startRelayCommand } from '../support/side.ts';

const { path, freshConfig, read, cli } = workspace();

const names = ['secret_key', 'secretKey', 'SECRET-KEY', 'acs_token', 'ptnToken', 'X-Api-Key'];
names.push('X-Auth-Token', 'app_secret_key', 'Authorization');

/** Values that end early for a careless reader. */
const values = [
  ...['zebra', 'zebra lemur', "zebra's lemur", 'zebra, lemur; okapi', 'zebra}okapi]lemu)r'],
  ...['$zebra-lemur', '[zebra] lemur', '(zebra', '<zebra> & lemur', 'z'],
];

type Notation = (name: string, value: string) => string;

/** How bodies, logs and messages write a field; `rest` follows it and stays. */
const notations: Readonly<Record<string, Notation>> = {
  JSON: (name, value) => `{"${name}":"${value}","rest":"1"}`,
  'JSON with a space in the name': (name, value) => `{"${name} ": "${value}","rest":"1"}`,
  'JSON in lines': (name, value) => `{\n  "${name}" :\n  "${value}",\n  "rest": "1"\n}`,
  'JSON in JSON': (name, value) => JSON.stringify(`{"${name}":"${value}","rest":"1"}`),
  'JSON of arrays': (name, value) => `{"${name}":["${value}",{"a":"${value}"}],"rest":"1"}`,
  'JSON that was cut off': (name, value) => `{"rest":"1","${name}":"${value}`,
  'a YAML mapping': (name, value) => `${name}: ${value}\nrest: 1\n`,
  'a YAML block': (name, value) => `${name}: |-\n  ${value}\n  ${value}\nrest: 1\n`,
  'a YAML list': (name, value) => `${name}:\n  - ${value}\n  - ${value}\nrest: 1\n`,
  'a PHP array': (name, value) => `array('${name}' => "${value}", 'rest' => 1)`,
  print_r: (name, value) => `Array\n(\n    [${name}] => ${value}\n    [rest] => 1\n)`,
  var_dump: (name, value) => `["${name}"]=>\n  string(9) "${value}"\n  ["rest"]=> int(1)`,
  'a Ruby hash': (name, value) => `{"${name}"=>"${value}", "rest"=>"1"}`,
  'a query': (name, value) => `GET /cb?${name}=${encodeURIComponent(value)}&rest=1 HTTP/1.1`,
  'an array in a form': (name, value) => `rest=1&${name}[0]=${encodeURIComponent(value)}`,
  'a header': (name, value) => `POST / HTTP/1.1\r\n${name}: ${value}\r\nrest: 1\r\n\r\n`,
  'an element of XML': (name, value) => `<a:${name} b="c">${value}</a:${name}><rest>1</rest>`,
  'a CDATA section': (name, value) => `<${name}><![CDATA[${value}]]></${name}><rest/>`,
  'nested XML': (name, value) => `<${name}><b>${value}</b><b>${value}</b></${name}><rest/>`,
  'attributes of XML': (name, value) => `<add key="${name}" value="${value}" /><rest/>`,
  'elements side by side': (name, value) => `<key>${name}</key>\n<string>${value}</string><rest/>`,
  multipart: (name, value) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${value}\r\n--b\r\nrest`,
};

/** A value as a program writes it within quotes of the one kind. */
const quoted: Notation = (name, value) => `{'${name}': '${value}', 'rest': '1'}`;

describe('the value of a secret name', () => {
  for (const [notation, write] of Object.entries({ ...notations, 'a Python dict': quoted })) {
    it(`is hidden to its end in ${notation}`, () => {
      const shown: string[] = [];
      for (const name of names) {
        for (const value of values) {
          const text = new Redactor().head(write(name, value));
          const isLeft = /zebra|lemu|okapi/.test(text) || !text.includes('[redacted]');
          if (isLeft || !text.includes('rest')) shown.push(`${write(name, value)} -> ${text}`);
        }
      }
      assert.deepEqual(shown, []);
    });
  }
});

describe('what a peer sent under a secret name', () => {
  const secret = 'zebra-lemur-okapi';
  const bodies = Object.values({ ...notations, quoted }).flatMap((write) =>
    ['secretKey', 'X-Api-Key', 'acs_token '].map((name) => write(name, secret)),
  );

  it('is in no output of the relay, in either direction', async () => {
    const echo = await startFaultServer(async (line) => {
      for (;;) line.send(okResponse((await line.request()).body, 'x-auth-token: zebra-lemur\r\n'));
    });
    const files = ['--har', path('a.har'), '--record', path('a.jsonl')];
    const relay = await startRelayCommand(['--to', echo.url.href, '--ui', ...files], {
      configFile: freshConfig(),
    });
    const page = String(relay.events()[0]?.ui_url);
    for (const body of bodies)
      await fetch(`${relay.callbackUrl}?api-key=${secret}&again=${secret}`, {
        method: 'POST',
        body,
        headers: { 'x-api-key': secret, 'x-note': secret },
      });
    await relay.exchanges(bodies.length);
    const details = bodies.map(async (_, index) =>
      (await fetch(`${page}exchange?id=${index + 1}`)).text(),
    );
    const shown = [...(await Promise.all(details)), JSON.stringify(relay.events())];
    assert.ok(shown.slice(0, bodies.length).every((text) => text.includes('[redacted]')));
    await relay.stop();
    await echo.close();
    for (const text of [...shown, ...['a.har', 'a.jsonl'].map((name) => read(name))]) {
      assert.doesNotMatch(text, /zebra|lemur|okapi/);
    }
  });

  it('is quoted neither from the log of an application nor by explain', async (test) => {
    let text = '';
    const failing = await startFaultServer(async (line) => {
      await line.request();
      appendFileSync(path('app.log'), `RuntimeError: refused\n${text}\n`);
      line.send(okResponse(''));
    });
    test.after(() => failing.close());
    const url = ['--url', failing.url.href, '--app-log', path('app.log')];
    for (text of [`KeyError: secret_key: ${secret}`, `invalid {'apiKey': '${secret}'}`]) {
      for (const argv of [
        ['simulate-signup', ...url],
        ['simulate-signup', ...url, '--json'],
      ]) {
        const { stdout, stderr } = await cli(argv, { configFile: freshConfig() });
        assert.match(stdout + stderr, /RuntimeError: refused/);
        assert.doesNotMatch(stdout + stderr, /zebra/);
      }
      const { stdout } = await cli(['explain', text], { configFile: freshConfig() });
      assert.doesNotMatch(stdout, /zebra/);
    }
  });

  it('is in no journal and no event of an emulator', async () => {
    const events: unknown[] = [];
    await using application = await startApplication({ onExchange: (each) => events.push(each) });
    for (const body of bodies)
      await fetch(`${application.url}?api-key=${secret}`, {
        method: 'POST',
        body,
        headers: { 'x-session': secret },
      });
    const text = JSON.stringify([events, application.journal()]);
    assert.equal(application.journal().length, bodies.length);
    assert.doesNotMatch(text, /zebra|lemur|okapi/);
  });
});

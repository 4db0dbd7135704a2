import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { formatExpireDt } from '../../src/protocol/expiry.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-learn-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };

const draw = seededBytes('learn');
const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';

function encrypt(text: string, key: string): string {
  const iv = draw(16);
  const aes = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, aes.update(text), aes.final()]).toString('base64');
}

const response = (body: object) => ({ status: 200, headers: [], body: JSON.stringify(body) });

/** Lines of a recording, as schemas/recording-1.json has them, written by hand. */
function recording(secrets: 'values' | 'pseudonyms'): string {
  const started = Date.UTC(2026, 10, 23, 3, 4, 5);
  const exchanges = ['ada', 'grace', 'edsger'].flatMap((user, index) => {
    const key = draw(16).toString('hex');
    const at = new Date(started + index * 60_000);
    const times = { started_at: at.toISOString(), duration_ms: 8 };
    const registration = {
      client_id: 'shop',
      used_type: '2',
      ptn_cd: user,
      partner_sp: encrypt(`passcode of ${user}`, key),
      ubifill: encrypt(JSON.stringify({ email: `${user}@example.com` }), key),
    };
    const token = {
      client_id: 'shop',
      secret_key: 'the-shops-secret',
      ptn_token: `p-${index}-token`,
    };
    const issued = {
      acs_token: `a-${index}-token`,
      expire_dt: formatExpireDt(new Date(at.getTime() + 300_000), 'Asia/Seoul'),
      ptn_cd: user,
    };
    return [
      {
        ...times,
        request: {
          method: 'POST',
          target: '/callback',
          headers: [],
          body: JSON.stringify(registration),
        },
        response: response({ code: '0000', message: 'OK' }),
        ...(secrets === 'values' && { key }),
      },
      {
        ...times,
        request: {
          method: 'POST',
          target: '/process/token',
          headers: [],
          body: JSON.stringify(token),
        },
        response: response({ code: '0000', message: '', result: issued }),
      },
    ];
  });
  const header = { schema: 'authcli/recording/1', version: '0.0.0', secrets };
  return [header, ...exchanges].map((line) => `${JSON.stringify(line)}\n`).join('');
}

writeFileSync(join(folder, 'values.jsonl'), recording('values'));
writeFileSync(join(folder, 'pseudonyms.jsonl'), recording('pseudonyms'));
writeFileSync(join(folder, 'other.log'), 'GET / 200\n');
writeFileSync(join(folder, 'empty.jsonl'), '');
writeFileSync(
  join(folder, 'foreign.jsonl'),
  '{"schema":"authcli/recording/1","secrets":"values"}\n{"request":{"body":"{}"},"response":{"body":"{}"}}\n',
);

/** A key exchange in which both sides depart from the interface, by the form alone. */
const wrong = {
  request: {
    method: 'POST',
    headers: [['Content-Type', 'application/json;charset=utf-8']],
    body: '{"client_id":"shop","used_type":1,"ptn_cd":7,"public_key":"no key"}',
  },
  response: response({ code: 0, message: 'OK', result: { enc_partner_key: 'x' } }),
};
writeFileSync(
  join(folder, 'wrong.jsonl'),
  [{ schema: 'authcli/recording/1', version: '0.0.0', secrets: 'values' }, wrong, wrong]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join(''),
);

describe('the departures that learn prints', () => {
  it('are those of both sides, beside each other', async () => {
    const { status, stdout } = await run(['learn', 'wrong.jsonl'], environment);
    assert.equal(status, 0);
    const [, shown = ''] = stdout.split('Departures from the interface:\n');
    assert.match(shown, /^ {2}the service {20,}the application\n/);
    assert.match(shown, /\n {2}The service sends used_type as a number, .* {2}\S.*\n/);
    assert.match(shown, /\n {2}callback\/request-shape, 2 times, first in line 2 /);
    assert.match(shown, /The service sends ptn_cd as a number/);
  });

  it('are below each other where the terminal is narrow, within its width', async () => {
    const { stdout } = await run(['learn', 'wrong.jsonl', '--no-color'], {
      ...environment,
      isTerminal: true,
      columns: 50,
    });
    const [, shown = ''] = stdout.split('Departures from the interface:\n');
    assert.match(shown, /^ {2}the service\n/);
    assert.match(shown, /\n\n {2}the application\n/);
    assert.ok(shown.split('\n').every((line) => line.length <= 50));
  });

  it('are given to programs as the schema describes', async () => {
    const schema = JSON.parse(readFileSync('schemas/learn-1.json', 'utf8'));
    const { stdout } = await run(['learn', 'wrong.jsonl', '--json'], environment);
    const document = JSON.parse(stdout);
    assert.deepEqual(violations(document, schema), []);
    const { service, application } = document.departures;
    assert.deepEqual(
      service.map(({ id, count }: { id: string; count: number }) => [id, count]),
      [
        ['callback/request-shape', 2],
        ['callback/request-shape', 2],
        ['callback/public-key', 2],
      ],
    );
    assert.deepEqual(
      application.map(({ id }: { id: string }) => id),
      ['key-exchange/response-shape'],
    );
  });
});

describe('learn', () => {
  it('escapes a message of the other side, which could forge lines', async () => {
    const body = JSON.stringify({ used_type: '1', ptn_cd: 'ada' });
    const answer = { code: '9', message: 'no\r\nforged: line' };
    const line = { request: { body }, response: response(answer) };
    const header = { schema: 'authcli/recording/1', secrets: 'values' };
    const lines = [header, line].map((each) => JSON.stringify(each)).join('\n');
    writeFileSync(join(folder, 'forged.jsonl'), lines);
    const { stdout } = await run(['learn', 'forged.jsonl'], environment);
    assert.match(stdout, /no\\r\\nforged: line/);
    assert.doesNotMatch(stdout, /^\s*forged|\r/m);
  });

  it('prints each setting with its confidence, its evidence and the line that sets it', async () => {
    const { status, stdout } = await run(['learn', 'values.jsonl'], environment);
    assert.equal(status, 0);
    assert.match(stdout, /^Learned from 6 exchanges:\n\ncipher {2}aes-256-cbc\S+ {2}certain\n/);
    assert.match(stdout, /6 payloads \(partner_sp, ubifill\) of 3 users: line 2, line 4, line 6\./);
    assert.ok(stdout.includes(`authcli config set cipher '${cipher}'`));
    assert.match(stdout, /\nexpire-time-zone {2}\+09:00 {2}likely\n {2}Assumes .* 5m/);
    assert.match(stdout, /\n {2}codes of registration: "0000" \(OK\)\n/);
  });

  it('gives the same to programs', async () => {
    const { stdout } = await run(['learn', 'values.jsonl', '--json'], environment);
    const { exchanges, settings } = JSON.parse(stdout);
    assert.equal(exchanges, 6);
    const found = settings.find(({ setting }: { setting: string }) => setting === 'cipher');
    assert.equal(found.value, cipher);
    assert.equal(found.confidence, 'certain');
  });

  it('stores what is certain, and nothing else', async () => {
    const { stdout } = await run(
      ['learn', 'values.jsonl', '--save-settings', '--json'],
      environment,
    );
    assert.deepEqual(JSON.parse(stdout).saved, ['cipher']);
    const listed = await run(['config', 'list', '--json'], environment);
    assert.ok(listed.stdout.includes(cipher));
    assert.ok(!listed.stdout.includes('+09:00'));
  });

  it('names what needs values as unknown, with the flags that record them', async () => {
    const { status, stdout, stderr } = await run(['learn', 'pseudonyms.jsonl'], environment);
    assert.equal(status, 0);
    assert.match(stdout, /\ncipher {2}unknown\n {2}The key of 6 encrypted payloads is not known/);
    assert.match(stderr, /relay --decrypt --record FILE --show-secrets/);
  });

  it('names the file of each place, where there are several', async () => {
    const { stdout } = await run(['learn', 'values.jsonl', 'pseudonyms.jsonl'], environment);
    assert.match(stdout, /values\.jsonl line 2/);
  });

  for (const [name, file, message] of [
    [
      'a file that is no recording',
      'other.log',
      /No traffic of this interface was found in other\.log/,
    ],
    ['an empty file', 'empty.jsonl', /No traffic of this interface was found in empty\.jsonl/],
    ['a file that does not exist', 'none.jsonl', /The file "none\.jsonl" doesn't exist/],
    ['a folder', '.', /"\." is a folder/],
    [
      'traffic of something else',
      'foreign.jsonl',
      /No traffic of this interface was found in foreign\.jsonl/,
    ],
  ] as const) {
    it(`refuses ${name}, by its name`, async () => {
      const { status, stderr } = await run(['learn', file], environment);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
});

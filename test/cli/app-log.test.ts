import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { describe, it } from 'node:test';
import { LogTail } from '../../src/cli/process/log-tail.ts';
import { application, serve } from '../conformance/support.ts';
import { workspace } from './workspace.ts';

const { path, save, cliJson } = workspace();

const trace = [
  "KeyError: 'public_key'",
  '  File "/usr/lib/python3.12/json/decoder.py", line 338, in decode',
  '  File "/app/app.py", line 41, in callback',
  'Traceback (most recent call last):',
].reverse();

const nobody = 'http://127.0.0.1:1';

/** What an application that fails without a word returns. */
const failed = { status: 500, headers: {}, body: Buffer.from('Internal Server Error') };

describe('--app-log', () => {
  it('quotes what is logged between a request and its response, without secrets', async (test) => {
    save('app.log', 'ValueError: of yesterday\n');
    const endpoint = await serve(async ({ body }) => {
      const { ptn_cd: user } = JSON.parse(Buffer.from(body).toString());
      appendFileSync(
        path('app.log'),
        [...trace, `secret four words of ${user}\u001b[31m`, ''].join('\n'),
      );
      return failed;
    });
    test.after(() => endpoint.close());
    const flags = ['--super-passcode', 'four words of alice', '--ptn-cd', 'alice'];
    const argv = ['simulate-signup', endpoint.url.href, ...flags, '--app-log', 'app.log'];
    const { status, json } = await cliJson(argv);
    const { message, evidence, next } = json.error;
    assert.equal(status, 1);
    assert.match(message, /public_key/);
    assert.deepEqual(evidence.source, 'app.py:41');
    assert.deepEqual(evidence.log, [trace[3], `  ${trace[1]?.trim()}`]);
    assert.doesNotMatch(next, /--app-log|simulate-signup/);
    assert.doesNotMatch(JSON.stringify(json), /yesterday/);
  });

  it('leaves its fix to what an experiment proved', async (test) => {
    const right = application();
    const endpoint = await serve(async (request) => {
      if (/"ptn_cd":"\d+"/.test(Buffer.from(request.body).toString())) return right(request);
      appendFileSync(path('app.log'), 'ValueError\n');
      return failed;
    });
    test.after(() => endpoint.close());
    const argv = ['verify', endpoint.url.href, '--app-log', 'app.log'];
    const { checks } = (await cliJson(argv)).json;
    const { message, hint } = checks.find(
      (check: { status: string }) => check.status === 'failed',
    ).diagnosis;
    assert.match(message, / a ptn_cd of 12 digits.*reports "ValueError"/);
    assert.match(hint, /^Store ptn_cd as text/);
  });

  it('comes before experiments: none is made where it is certain', async (test) => {
    const error = 'SyntaxError: "[object Object]" is not valid JSON\n';
    const endpoint = await serve(async () => {
      appendFileSync(path('app.log'), error);
      return failed;
    });
    test.after(() => endpoint.close());
    const argv = ['verify', endpoint.url.href, '--check', 'key-exchange/answers-success'];
    const certain = (await cliJson([...argv, '--app-log', 'app.log'])).json;
    assert.equal(certain.checks[0].diagnosis.confidence, 'certain');
    assert.deepEqual([certain.requests, endpoint.requests.length], [1, 1]);
    const { requests } = (await cliJson(argv)).json;
    assert.deepEqual([requests, endpoint.requests.length], [11, 12]);
  });

  it('is what comes next where nothing says why, and is read from a pipe too', async (test) => {
    const endpoint = await serve(async () => failed);
    test.after(() => endpoint.close());
    const argv = ['simulate-key-exchange', endpoint.url.href];
    const verify = ['verify', endpoint.url.href, '--check', 'key-exchange/answers-success'];
    assert.match((await cliJson(verify)).json.error.next, / --app-log app\.log( |$)/);
    const piped = await cliJson([...argv, '--app-log', '-'], { stdin: `${trace.join('\n')}\n` });
    assert.equal(piped.status, 1);
  });

  it('is not that of an application that --app would start a second time', async (test) => {
    const endpoint = await serve(async () => failed);
    test.after(() => endpoint.close());
    const argv = ['simulate-signup', endpoint.url.href, '--app', `touch ${path('started')}`];
    const { status, json } = await cliJson(argv);
    assert.deepEqual([status, existsSync(path('started'))], [2, false]);
    assert.match(json.error.message, /^Something listens at .* already/);
  });

  it('refuses what is not a plain file', async () => {
    const { status, json } = await cliJson(['simulate-signup', nobody, '--app-log', '.']);
    assert.deepEqual([status, json.error.message], [2, '--app-log: . is not a plain file.']);
  });

  it('goes on in a file that is cut off, replaced, or new', async () => {
    const tail = new LogTail();
    await tail.follow(path('new.log'));
    const append = async (text: string) => {
      appendFileSync(path('new.log'), text);
      await tail.read();
    };
    await append('one\ntw');
    await append('o\n');
    save('new.log', '');
    await tail.read();
    await append('three\n');
    renameSync(path('new.log'), path('old.log'));
    await append('\u001b[31mfour\u001b[0m\r\n');
    assert.deepEqual(tail.since(0), ['one', 'two', 'three', 'four']);
    assert.deepEqual(tail.since(2), ['three', 'four']);
    assert.equal(readFileSync(path('new.log'), 'utf8').length, 15);
  });
});

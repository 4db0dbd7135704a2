import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Change, type Example, withExample } from '../../support/example-application.ts';
import { bin } from '../../support/program.ts';
import { connectToProgram } from './client.ts';

const example: Example = {
  folder: 'node',
  file: 'application.mjs',
  command: [process.execPath, 'http.mjs'],
};
const right = 'RSA_PKCS1_PADDING';
const wrong = 'RSA_PKCS1_OAEP_PADDING';
const stack = 'node';
const client_id = 'my-shop';

function scratchFolder(context: TestContext): string {
  mkdirSync('test-artifacts', { recursive: true });
  const folder = mkdtempSync(resolve('test-artifacts', 'agent-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('an agent with the installed program', () => {
  it('finds the fault of an application, fixes it as instructed, and verifies it, by tool calls alone', async (context) => {
    const folder = scratchFolder(context);
    const env = { AUTHCLI_CONFIG: join(folder, 'config.json') };
    const { call } = await connectToProgram(context, [process.execPath, bin], { cwd: folder, env });
    const withPadding = <T>(padding: string, work: (url: string) => Promise<T>): Promise<T> => {
      const changes: readonly Change[] = padding === right ? [] : [[right, padding]];
      return withExample(example, folder, { changes }, (url) => work(`${url}/callback`));
    };

    const padding = await withPadding(wrong, async (url) => {
      const { document, isError } = await call('verify', { url, client_id, stack });
      assert.deepEqual([isError, document.ok], [false, false]);
      const failed = document.checks.find((check: { status: string }) => check.status === 'failed');
      assert.equal(failed.id, 'key-exchange/wraps-key');
      const { code, calls } = failed.diagnosis;
      const explained = await call('explain', { code, stack });
      assert.deepEqual(explained.document.calls, calls);
      return /constants\.(RSA_\w+)/.exec(calls.node)?.[1] ?? '';
    });

    await withPadding(padding, async (url) => {
      const again = await call('verify', { url, client_id, failed: true });
      assert.equal(again.document.ok, true, again.text);
      const { document, text } = await call('verify', { url, client_id });
      assert.equal(document.ok, true, text);
      assert.deepEqual(document.checks, []);
      assert.ok(document.summary.passed > 20, text);
      const signup = await call('simulate_signup', { url, client_id });
      assert.equal(signup.document.ok, true, signup.text);
    });
  });
});

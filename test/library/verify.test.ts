import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startApplication } from '../../src/library/emulators.ts';
import {
  formatReport,
  type VerifyCallbackOptions,
  verifyCallback,
} from '../../src/library/verify.ts';

const application = await startApplication({ faults: ['oaep-sha1'] });
after(() => application.close());
const { url } = application;
const check = 'key-exchange/wraps-key';

describe('verifyCallback', { concurrency: false }, () => {
  it('says what fails, and how to repeat it', async () => {
    const told: string[] = [];
    const result = await verifyCallback({
      url,
      check,
      seed: 'abc',
      headers: { Authorization: 'Bearer top-secret-token' },
      onCheck: ({ id, status }) => told.push(`${id} ${status}`),
    });
    assert.deepEqual([result.ok, ...told], [false, `${check} failed`]);
    const [failure] = result.failures;
    assert.equal(failure?.diagnosis?.code, 'oaep-sha1');
    assert.match(failure?.repeat?.command ?? '', /^await verifyCallback\(\{.*"seed":"abc"\}\)$/);
    const report = JSON.stringify(result.report);
    assert.ok(!report.includes('top-secret-token'));
    assert.ok(!report.includes(application.users()[0]?.key ?? ''));
    assert.match(result.report.version, /^\d+\.\d+\.\d+/);
  });

  it('counts known failures apart, and knows when they are fixed', async () => {
    const knownFailures = [{ check, reason: 'to be fixed' }];
    const put = await verifyCallback({ url, check, knownFailures });
    assert.deepEqual([put.ok, put.failures], [true, []]);
    application.faults.off();
    const fixed = await verifyCallback({ url, check, knownFailures });
    const { stale, summary } = fixed.report;
    assert.deepEqual([fixed.ok, fixed.failures, stale], [false, [], knownFailures]);
    assert.equal(summary.passed, 1);
    const formats = ['text', 'json', 'junit', 'html', 'markdown'] as const;
    const texts = formats.map(async (each) => (await formatReport(fixed.report, each)).slice(0, 5));
    assert.deepEqual(await Promise.all(texts), ['Verif', '{\n  "', '<?xml', '<!doc', '## au']);
    await assert.rejects(formatReport(fixed.report, 'har' as never), { code: 'usage' });
  });

  it('is not ok where nothing responds', async () => {
    const closed = await startApplication();
    await closed.close();
    const result = await verifyCallback({ url: closed.url, check, waitMs: 50 });
    assert.deepEqual([result.ok, result.unreachable?.code], [false, 'refused']);
  });

  it('ends with the reason of the signal, and not with half a report', async () => {
    application.faults.on('silent');
    const signal = AbortSignal.timeout(50);
    await assert.rejects(verifyCallback({ url, check, signal }), { name: 'TimeoutError' });
    application.faults.off();
  });

  const refusals: readonly (readonly [string, VerifyCallbackOptions, RegExp])[] = [
    ['no URL', {} as never, /option url/],
    ['a check that there is not', { url, check: 'wraps-keys' }, /No check matches "wraps-keys"/],
    ['too many users', { url, users: 201 }, /option users can't be 201/],
  ];
  for (const [what, options, message] of refusals) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(verifyCallback(options), { code: 'usage', message });
    });
  }
});

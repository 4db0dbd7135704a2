import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeyMemory } from '../../src/load/key-examiner.ts';
import { judgeThresholds, type LoadResult, type Thresholds } from '../../src/load/result.ts';
import { Timeline } from '../../src/load/run.ts';
import { Tally } from '../../src/load/tally.ts';
import { loadResult } from '../support/load-sample.ts';

describe('the memory of keys', () => {
  it('knows a key that came before, in any thread, and no other', () => {
    const memory = KeyMemory.allocate();
    const [one, other] = [new KeyMemory(memory), new KeyMemory(memory)];
    const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}`);
    assert.equal(keys.filter((key) => one.remember(key)).length, 0);
    assert.equal(keys.filter((key) => !other.remember(key)).length, 0);
  });

  it('forgets hardly any of the latest keys, and never grows', () => {
    const memory = new KeyMemory(KeyMemory.allocate());
    const count = 250_000;
    for (let index = 0; index < count; index += 1) memory.remember(`key-${index}`);
    let forgotten = 0;
    for (let index = 0; index < count; index += 97)
      if (!memory.remember(`key-${index}`)) forgotten += 1;
    assert.ok(forgotten < 5, `${forgotten} of 2578`);
  });
});

describe('a tally', () => {
  it('is read where it is not written', () => {
    const memory = Tally.allocate();
    const [writer, reader] = [new Tally(memory), new Tally(memory)];
    writer.add('succeeded');
    writer.add('succeeded', 2);
    writer.addError('timeout');
    writer.addWeakness('key-from-user-code');
    writer.addLatency(3);
    writer.addLatency(2);
    assert.equal(reader.get('succeeded'), 3);
    assert.deepEqual(reader.errors, [['timeout', 1]]);
    assert.deepEqual(reader.weaknesses, [['key-from-user-code', 1]]);
    assert.equal(reader.get('latencyMs'), 5);
    assert.deepEqual([reader.takeSlowest(), reader.takeSlowest()], [3, 0]);
  });
});

describe('the course of a run', () => {
  it('has a bounded number of parts that together contain everything', () => {
    const timeline = new Timeline();
    const looks = 10_000;
    for (let index = 0; index < looks; index += 1) {
      const seen = { succeeded: 2, failed: 1, latencyMs: 30, latencies: 3, maxMs: index };
      timeline.add(index * 250, (index + 1) * 250, seen);
    }
    const { moments } = timeline;
    assert.ok(moments.length <= 240 && moments.length > 120, String(moments.length));
    const succeeded = moments.reduce((sum, moment) => sum + moment.succeeded, 0);
    assert.equal(succeeded, 2 * looks);
    assert.equal(moments.at(-1)?.maxMs, looks - 1);
    assert.ok(moments.every(({ meanMs }) => meanMs === 10));
    moments.forEach(({ atMs }, index) => {
      const before = moments[index - 1];
      assert.equal(atMs, before === undefined ? 0 : before.atMs + before.durationMs);
    });
  });
});

const cases: readonly [Thresholds, boolean, RegExp][] = [
  [{ maxP99: 40 }, true, /p99 at most 40 ms/],
  [{ maxP99: 39 }, false, /p99 at most 39 ms/],
  [{ maxErrors: { count: 5 } }, true, /errors at most 5$/],
  [{ maxErrors: { count: 4 } }, false, /errors at most 4$/],
  [{ maxErrors: { share: 0.05 } }, true, /errors at most 5%/],
  [{ maxErrors: { share: 0.049 } }, false, /errors at most 4.9%/],
];

describe('a threshold', () => {
  const latency = { ...loadResult().latency, p50: 20, p90: 30, p99: 40, max: 50 };
  const result: LoadResult = loadResult({ succeeded: 95, failed: 5, perSecond: 95, latency });
  for (const [thresholds, kept, text] of cases) {
    it(`${JSON.stringify(thresholds)} is ${kept ? 'kept' : 'missed'}`, () => {
      const [verdict, ...others] = judgeThresholds(result, thresholds);
      assert.deepEqual(others, []);
      assert.equal(verdict?.kept, kept);
      assert.match(verdict?.threshold ?? '', text);
      assert.notEqual(verdict?.observed, '');
    });
  }

  it('of latency is missed where nothing was measured', () => {
    const nothing = loadResult({ latency: { ...latency, count: 0, p99: 0 } });
    assert.equal(judgeThresholds(nothing, { maxP99: 1000 })[0]?.kept, false);
  });
});

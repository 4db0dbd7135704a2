import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wholeTicks } from '../../../src/reports/html/chart.ts';
import { loadHtml } from '../../../src/reports/load-html.ts';
import { loadDocument } from '../../support/load-sample.ts';

describe('the axis of a chart', () => {
  for (const [highest, ticks] of [
    [0, [1]],
    [0.4, [1]],
    [1, [1]],
    [2, [1, 2]],
    [3.2, [1, 2, 3, 4]],
    [7, [2, 4, 6, 8]],
    [50, [10, 20, 30, 40, 50]],
    [101, [50, 100, 150]],
    [4100, [1000, 2000, 3000, 4000, 5000]],
  ] as const) {
    it(`has whole numbers up to ${highest}`, () => {
      assert.deepEqual(wholeTicks(highest), ticks);
    });
  }

  it('never has more than five lines, and always reaches the highest bar', () => {
    for (let highest = 0.01; highest < 1e7; highest *= 1.07) {
      const ticks = wholeTicks(highest);
      assert.ok(ticks.length <= 5, `${highest}: ${ticks}`);
      assert.ok((ticks.at(-1) ?? 0) >= highest, `${highest}: ${ticks}`);
      assert.ok(ticks.every(Number.isInteger), `${highest}: ${ticks}`);
    }
  });
});

describe('the charts of a load', () => {
  const moment = { durationMs: 1000, failed: 0 };
  for (const [name, meanMs, maxMs] of [
    ['slow', 700, 4100],
    ['fast', 0.4, 1.7],
  ] as const) {
    it(`write only whole numbers on their axes: ${name}`, () => {
      const timeline = [1, 2, 3].map((succeeded, index) => {
        return { ...moment, atMs: index * 1000, succeeded, meanMs, maxMs };
      });
      const page = loadHtml(loadDocument({ timeline, bands: [{ toMs: 3, count: 3 }] }));
      const charts = page.match(/<svg class="plot chart"[\s\S]*?<\/svg>/g) ?? [];
      assert.equal(charts.length, 6, 'three, for narrow and for wide pages');
      const heights = charts.flatMap((chart) =>
        [...chart.matchAll(/text-anchor="end">([^<]*)</g)]
          .map(([, text = '']) => text)
          .slice(0, -1),
      );
      assert.ok(heights.length > 0);
      for (const text of heights) assert.match(text, /^\d+( m?s)?$/);
    });
  }

  it('call the extremes min and max, and the rest percentiles', () => {
    const page = loadHtml(loadDocument());
    assert.match(page, /<th scope="col">percentile<\/th>/);
    assert.match(page, /<th scope="row">min<\/th>[\s\S]*<th scope="row">max<\/th>/);
    assert.doesNotMatch(page, /longest|shortest|slowest|\bleast\b/);
  });
});

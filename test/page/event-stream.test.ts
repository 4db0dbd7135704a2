import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Feed } from '../../src/page/feed.ts';
import { eventStream } from '../../src/page/server.ts';
import { watchedCall } from '../../src/page/watched.ts';
import type { Row, Update } from '../../src/page/wire.ts';
import { keyExchange, newApplication } from '../emulator/support.ts';
import { Events, hello } from './support.ts';

const request = keyExchange();
const handled = await newApplication().call(request);
const call = { ...handled, seq: 1, request, receivedAt: 0, durationMs: 0 };
const record = watchedCall(call, [], defaultCipher);

let time = 0;

/** The events of a feed; each update takes `costMs`. */
function open(feed: Feed, { lastEventId = undefined as string | undefined, costMs = 0 } = {}) {
  const events = new Events();
  const updateOf = (rows: readonly Row[]): Update => {
    time += costMs;
    return { rows, from: feed.first, learned: [] };
  };
  const stop = eventStream({ feed, hello }, updateOf, lastEventId)(events);
  return { events, stop };
}

function feedOf(count: number): Feed {
  const feed = new Feed();
  for (let index = 0; index < count; index += 1) feed.add(record);
  return feed;
}

describe('the events of the page', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    mock.method(performance, 'now', () => time);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('begin with what the emulator is, and what was there before', () => {
    const { events } = open(feedOf(3));
    const seen = events.events.map(({ name, id = 'none' }) => `${name} ${id}`);
    assert.deepEqual(seen, ['hello none', 'update run-1.3']);
    assert.deepEqual(events.rows, [[1, 2, 3]]);
  });

  it('bring what comes, together where it comes fast', () => {
    const feed = new Feed();
    const { events } = open(feed);
    feed.add(record);
    feed.add(record);
    assert.deepEqual(events.rows, [[]]);
    mock.timers.tick(40);
    assert.deepEqual(events.rows, [[], [1, 2]]);
  });

  it('bring much in portions', () => {
    const { events } = open(feedOf(600));
    for (let portion = 1; portion < 3; portion += 1) mock.timers.tick(40);
    const portions = events.rows.map((rows) => rows.length);
    assert.deepEqual(portions, [250, 250, 100]);
  });

  for (const [lastEventId, rows] of [
    ['run-1.2', [3]],
    ['run-1.3', []],
    ['run-0.2', [1, 2, 3]],
    ['run-1.x', [1, 2, 3]],
  ] as const) {
    it(`go on behind ${lastEventId}`, () => {
      assert.deepEqual(open(feedOf(3), { lastEventId }).events.rows, [rows]);
    });
  }

  it('leave the emulator time for its own work where rows are costly', () => {
    const feed = new Feed();
    const { events } = open(feed, { costMs: 30 });
    feed.add(record);
    mock.timers.tick(119);
    assert.deepEqual(events.rows, [[]]);
    mock.timers.tick(1);
    assert.deepEqual(events.rows, [[], [1]]);
  });

  it('keep a silent connection open, and stop when it is gone or the emulator ends', () => {
    const feed = new Feed();
    const [stopped, ended] = [open(feed), open(feed)];
    const writes = [stopped, ended].map(({ events }) => mock.method(events, 'write').mock);
    feed.add(record);
    stopped.stop();
    mock.timers.tick(60_000);
    const written = writes.map(({ calls }) => calls.map(({ arguments: [text] }) => text));
    assert.deepEqual([written[0], written[1]?.slice(1)], [[], Array(4).fill(':\n\n')]);
    assert.deepEqual(ended.events.rows, [[], [1]]);
    feed.close();
    assert.deepEqual([stopped.events.isEnded, ended.events.isEnded], [false, true]);
  });

  it('say which of what was there is forgotten', () => {
    const feed = feedOf(3);
    feed.clear();
    const { events } = open(feed);
    assert.equal((JSON.parse(events.events[1]?.data ?? '') as Update).from, 4);
  });

  it('are of the latest two thousand exchanges at most', () => {
    const feed = feedOf(2100);
    assert.deepEqual([feed.first, feed.after(0).length], [101, 2000]);
    assert.deepEqual([feed.find(100), feed.find(101)?.row], [undefined, record.row]);
  });
});

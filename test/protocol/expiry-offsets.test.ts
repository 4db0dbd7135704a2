import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatExpireDt } from '../../src/protocol/expiry.ts';
import { expiredSeconds, fittingOffsets } from '../../src/protocol/expiry-offsets.ts';
import { fc } from '../support/fast-check.ts';

const sentAt = Date.UTC(2026, 6, 1, 12, 0, 0);
const dateHeader = new Date(sentAt).toUTCString();

/** A token of this lifetime, its expiry written in this zone. */
function token(timeZone: string, lifetimeSeconds: number, preferredTimeZone?: string) {
  const expireDt = formatExpireDt(new Date(sentAt + lifetimeSeconds * 1000), timeZone);
  return { expireDt, dateHeader, preferredTimeZone };
}

const first = (timeZone: string, lifetimeSeconds: number, preferred?: string) =>
  fittingOffsets(token(timeZone, lifetimeSeconds, preferred))[0];

/** The offsets of all zones, in winter and in summer, in minutes. */
function offsetsOfZones(): Set<number> {
  const parts = new Set<number>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    for (const month of [0, 6]) {
      const instant = new Date(Date.UTC(2026, month, 1));
      const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
      const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
      const [, sign, hours = '0', minutes = '0'] =
        /([+-])(\d\d):(\d\d)/.exec(name?.value ?? '') ?? [];
      parts.add((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)));
    }
  }
  return parts;
}

const offsetWord = (minutes: number): string => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};

describe('fittingOffsets', () => {
  for (const [zone, lifetime, offset] of [
    ['UTC', 2, '+00:00'],
    ['UTC', 600, '+00:00'],
    ['UTC', 3600, '+00:00'],
    ['+05:30', 600, '+05:30'],
    ['+05:45', 300, '+05:45'],
    ['+09:00', 1798, '+09:00'],
    ['Asia/Kathmandu', 600, '+05:45'],
    ['America/St_Johns', 600, '-02:30'],
    ['Pacific/Chatham', 900, '+12:45'],
    ['America/New_York', 600, '-04:00'],
  ] as const) {
    it(`finds a token of ${lifetime} s in ${zone}`, () => {
      assert.deepEqual(first(zone, lifetime), { offset, lifetimeSeconds: lifetime });
    });
  }

  it('lists all that fit a token of 61 minutes', () => {
    assert.deepEqual(fittingOffsets(token('UTC', 3660)), [
      { offset: '+01:00', lifetimeSeconds: 60 },
      { offset: '+00:00', lifetimeSeconds: 3660 },
    ]);
  });

  it('names a preferred zone that fits first', () => {
    assert.equal(first('UTC', 3660, 'Africa/Abidjan')?.offset, '+00:00');
    assert.equal(first('UTC', 3660, 'Asia/Seoul')?.offset, '+01:00', 'it does not fit');
  });

  it('knows every offset that is in use', () => {
    for (const minutes of offsetsOfZones()) {
      for (const lifetime of [2, 600, 3600, 7200]) {
        const offset = offsetWord(minutes);
        const found = fittingOffsets(token(offset, lifetime));
        const expected = { offset, lifetimeSeconds: lifetime };
        assert.ok(
          found.some((fit) => fit.offset === offset && fit.lifetimeSeconds === lifetime),
          JSON.stringify({ expected, found }),
        );
      }
    }
  });

  it('says nothing of what no short-lived token explains', () => {
    fc.assert(
      fc.property(fc.integer({ min: 86_400, max: 40_000_000 }), (seconds) => {
        assert.deepEqual(fittingOffsets(token('UTC', seconds)), []);
        assert.deepEqual(fittingOffsets(token('UTC', -seconds)), []);
      }),
    );
  });

  it('says nothing without a Date header in GMT, or of what is not a date', () => {
    const { expireDt } = token('UTC', 600);
    for (const header of [undefined, '', 'never GMT', '2026-07-01 12:00:00']) {
      assert.deepEqual(fittingOffsets({ expireDt, dateHeader: header }), []);
    }
    assert.deepEqual(fittingOffsets({ expireDt: 'soon', dateHeader }), []);
  });
});

describe('expiredSeconds', () => {
  it('says for how long, in the intended zone', () => {
    assert.equal(expiredSeconds(token('UTC', 600), 'Asia/Seoul'), 9 * 3600 - 600);
    assert.equal(expiredSeconds(token('UTC', 600), 'UTC'), undefined);
    assert.equal(expiredSeconds(token('Asia/Seoul', 600), 'UTC'), undefined);
    assert.equal(expiredSeconds(token('UTC', 0), 'UTC'), undefined);
  });

  it('says nothing without a Date header', () => {
    const { expireDt } = token('UTC', 600);
    assert.equal(expiredSeconds({ expireDt, dateHeader: undefined }, 'Asia/Seoul'), undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import {
  expiresAt,
  expiryReadings,
  formatExpireDt,
  isTimeZone,
  parseExpireDt,
  toInstant,
} from '../../src/protocol/expiry.ts';
import { fc } from '../support/fast-check.ts';

describe('parseExpireDt', () => {
  it('reads the parts', () => {
    assert.deepEqual(parseExpireDt('20260701235908'), new Date('2026-07-01T23:59:08Z'));
  });

  for (const text of ['20240229000000', '20000229000000', '99991231235959', '00010101000000']) {
    it(`takes ${text}`, () => assert.ok(parseExpireDt(text)));
  }

  const wrong: readonly (readonly [why: string, text: string])[] = [
    ['29 February of a common year', '20260229000000'],
    ['29 February of 1900', '19000229000000'],
    ['31 April', '20260431000000'],
    ['month 13', '20261301000000'],
    ['month 0', '20260001000000'],
    ['day 0', '20260700000000'],
    ['year 0', '00000101000000'],
    ['hour 24', '20260701240000'],
    ['minute 60', '20260701006000'],
    ['a leap second', '20161231235960'],
    ['13 digits', '2026070112000'],
    ['15 digits', '202607011200000'],
    ['a line end', '20260701120000\n'],
    ['a sign', '+2026070112000'],
    ['ISO 8601', '2026-07-01T12:00:00Z'],
    ['full-width digits', '２０２６０７０１１２００００'],
    ['nothing', ''],
  ];
  for (const [why, text] of wrong) {
    it(`does not take ${why}`, () => assert.equal(parseExpireDt(text), undefined));
  }
});

describe('isTimeZone', () => {
  for (const zone of [
    'Asia/Seoul',
    'asia/seoul',
    'UTC',
    'Z',
    'GMT',
    '+09:00',
    '-0330',
    '+9',
    'UTC+9',
    'Etc/GMT-9',
  ]) {
    it(`knows ${zone}`, () => assert.equal(isTimeZone(zone), true));
  }
  for (const zone of [
    '',
    'Seoul',
    'Asia/Nowhere',
    '+25:00',
    '+09:60',
    '09:00',
    '+',
    '+090000',
    ' UTC',
    'local',
  ]) {
    it(`does not know ${JSON.stringify(zone)}`, () => assert.equal(isTimeZone(zone), false));
  }
});

describe('expiresAt', () => {
  const cases: readonly (readonly [text: string, zone: string | undefined, iso: string | null])[] =
    [
      ['20260701120000', 'Asia/Seoul', '2026-07-01T12:00:00+09:00'],
      ['20260701120000', '+09:00', '2026-07-01T12:00:00+09:00'],
      ['20260701120000', '-0330', '2026-07-01T12:00:00-03:30'],
      ['20260701120000', 'UTC', '2026-07-01T12:00:00Z'],
      ['20260701120000', 'Z', '2026-07-01T12:00:00Z'],
      ['20260701120000', '+00:00', '2026-07-01T12:00:00+00:00'],
      ['20260701120000', 'Asia/Kathmandu', '2026-07-01T12:00:00+05:45'],
      ['20260115120000', 'Europe/Berlin', '2026-01-15T12:00:00+01:00'],
      ['20260715120000', 'Europe/Berlin', '2026-07-15T12:00:00+02:00'],
      // Clocks in New York go from 02:00 to 03:00 on 8 March 2026: 02:30 is never shown.
      ['20260308015959', 'America/New_York', '2026-03-08T01:59:59-05:00'],
      ['20260308023000', 'America/New_York', '2026-03-08T03:30:00-04:00'],
      ['20260308030000', 'America/New_York', '2026-03-08T03:00:00-04:00'],
      // They go back from 02:00 to 01:00 on 1 November 2026: 01:30 is shown twice.
      ['20261101013000', 'America/New_York', '2026-11-01T01:30:00-04:00'],
      ['20261101020000', 'America/New_York', '2026-11-01T02:00:00-05:00'],
      // Half an hour, in the southern hemisphere.
      ['20261004021500', 'Australia/Lord_Howe', '2026-10-04T02:45:00+11:00'],
      // Samoa had no 30 December 2011.
      ['20111230120000', 'Pacific/Apia', '2011-12-31T12:00:00+14:00'],
      // A local mean time of +08:27:52; ISO 8601 has no seconds in an offset, the instant stays exact.
      ['19000101000000', 'Asia/Seoul', '1900-01-01T00:00:08+08:28'],
      ['00010101000000', 'Asia/Tokyo', '0001-01-01T00:00:01+09:19'],
      ['20260701120000', undefined, null],
      ['20260631120000', 'Asia/Seoul', null],
      ['20260631120000', undefined, null],
    ];
  for (const [text, zone, iso] of cases) {
    it(`reads ${text} in ${zone} as ${iso}`, () => assert.equal(expiresAt(text, zone), iso));
  }

  it('refuses an unknown time zone', () => {
    const unknown = (error: unknown) =>
      error instanceof AuthcliError &&
      error.code === 'usage' &&
      error.message === 'Unknown time zone "Asia/Nowhere\\u001b".' &&
      error.hint === 'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.';
    assert.throws(() => expiresAt('20260701120000', 'Asia/Nowhere\u001b'), unknown);
  });
});

describe('formatExpireDt', () => {
  const instant = new Date('2026-07-01T15:04:05.999Z');
  it('writes what clocks in the zone show', () => {
    assert.equal(formatExpireDt(instant, 'Asia/Seoul'), '20260702000405');
    assert.equal(formatExpireDt(instant, '-03:30'), '20260701113405');
    assert.equal(formatExpireDt(new Date('0999-01-02T03:04:05Z'), 'UTC'), '09990102030405');
  });

  it('refuses what has no four-digit year', () => {
    for (const date of [new Date('+010000-01-01T00:00:00Z'), new Date(Number.NaN)]) {
      assert.throws(() => formatExpireDt(date, 'UTC'), TypeError);
    }
    assert.throws(() => formatExpireDt(instant, 'Mars/Olympus'), AuthcliError);
  });

  it('comes back as the same instant, but where clocks show a time twice', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Asia/Seoul',
      '+05:30',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
    );
    const instants = fc.integer({ min: 0, max: 4_102_444_800 });
    fc.assert(
      fc.property(zones, instants, (zone, seconds) => {
        const text = formatExpireDt(new Date(seconds * 1000), zone);
        const expireDt = parseExpireDt(text);
        assert.ok(expireDt);
        const back = toInstant(expireDt, zone);
        assert.equal(formatExpireDt(back, zone), text);
        const earlier = seconds - back.getTime() / 1000;
        assert.ok(earlier === 0 || (earlier > 0 && earlier <= 7200), `${text} ${zone} ${earlier}`);
      }),
    );
  });
});

describe('expiryReadings', () => {
  it('reads in UTC and in the local zone', () => {
    assert.deepEqual(expiryReadings('20260701210000', 'Europe/Berlin'), {
      utc: '2026-07-01T21:00:00Z',
      local: '2026-07-01T21:00:00+02:00',
    });
    assert.equal(expiryReadings('soon', 'UTC'), undefined);
  });
});

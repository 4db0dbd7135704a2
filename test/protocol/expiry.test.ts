import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import {
  expiresAt,
  expiryReadings,
  fittingOffsets,
  formatExpireDt,
  isTimeZone,
  parseExpireDt,
  toInstant,
} from '../../src/protocol/expiry.ts';
import { fc } from '../support/fast-check.ts';
import { fixtureRows } from '../support/fixtures.ts';

it('reads 14 digits that are a day and a time, and nothing else', () => {
  assert.deepEqual(parseExpireDt('20260701235908'), new Date('2026-07-01T23:59:08Z'));
  for (const text of ['20240229000000', '20000229000000', '99991231235959', '00010101000000']) {
    assert.ok(parseExpireDt(text), text);
  }
  for (const text of [
    ...['20260229000000', '19000229000000', '20261301000000', '20260001000000', '20260700000000'],
    ...['00000101000000', '20260701240000', '20260701006000', '20161231235960', '2026070112000'],
    ...[
      '202607011200000',
      '20260701120000\n',
      '+2026070112000',
      '',
      '２０２６０７０１１２００００',
    ],
  ]) {
    assert.equal(parseExpireDt(text), undefined, text);
  }
});

it('knows a time zone by its name or its offset', () => {
  for (const zone of ['asia/seoul', 'UTC', 'Z', '+09:00', '-1800', '+9', 'Etc/GMT-9']) {
    assert.ok(isTimeZone(zone), zone);
  }
  for (const zone of ['', 'Seoul', '+18:01', '+09:60', '09:00', '+', '+090000', ' UTC', 'local']) {
    assert.ok(!isTimeZone(zone), zone);
  }
});

it('reads expire_dt in a time zone', () => {
  type Row = readonly [text: string, zone: string | null, iso: string | null];
  for (const [text, zone, iso] of fixtureRows<Row>('readings/expire-dt.jsonl')) {
    assert.equal(expiresAt(text, zone ?? undefined), iso);
  }
  assert.throws(() => expiresAt('20260701120000', 'Asia/Nowhere\u001b'), {
    code: 'usage',
    message: 'Unknown time zone "Asia/Nowhere\\u001b".',
    hint: 'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  });
  const [utc, local] = ['2026-07-01T21:00:00Z', '2026-07-01T21:00:00+02:00'];
  assert.deepEqual(expiryReadings('20260701210000', 'Europe/Berlin'), { utc, local });
  assert.equal(expiryReadings('soon', 'UTC'), undefined);
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
    const zones = fc.constantFrom('UTC', '+05:30', 'Europe/Berlin', 'Australia/Lord_Howe');
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

const sentAt = Date.UTC(2026, 6, 1, 12, 0, 0);
const dateHeader = new Date(sentAt).toUTCString();

/** A token of this lifetime, its expiry written in this zone. */
function token(timeZone: string, lifetimeSeconds: number) {
  const expireDt = formatExpireDt(new Date(sentAt + lifetimeSeconds * 1000), timeZone);
  return { expireDt, dateHeader };
}

describe('the offsets that a token fits', () => {
  it('are named with the lifetime, usual ones and the shortest first', () => {
    for (const [zone, lifetimeSeconds, offset] of [
      ['UTC', 2, '+00:00'],
      ['+05:30', 600, '+05:30'],
      ['America/St_Johns', 600, '-02:30'],
      ['Pacific/Chatham', 900, '+12:45'],
    ] as const) {
      assert.deepEqual(fittingOffsets(token(zone, lifetimeSeconds))[0], {
        offset,
        lifetimeSeconds,
      });
    }
    assert.deepEqual(fittingOffsets(token('UTC', 3660)).slice(0, 2), [
      { offset: '+01:00', lifetimeSeconds: 60 },
      { offset: '+00:00', lifetimeSeconds: 3660 },
    ]);
  });

  it('include that of every time zone', () => {
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const lifetimes = fittingOffsets(token(timeZone, 600)).map((fit) => fit.lifetimeSeconds);
      assert.ok(lifetimes.includes(600), timeZone);
    }
  });

  it('are none for an expired token, a header that is not in GMT, and what is not a date', () => {
    for (const seconds of [32 * 86_400 + 50_400, -43_200]) {
      assert.deepEqual(fittingOffsets(token('UTC', seconds)), []);
    }
    const { expireDt } = token('UTC', 600);
    for (const header of [undefined, '', 'never GMT', '2026-07-01 12:00:00']) {
      assert.deepEqual(fittingOffsets({ expireDt, dateHeader: header }), []);
    }
    assert.deepEqual(fittingOffsets({ expireDt: 'soon', dateHeader }), []);
  });
});

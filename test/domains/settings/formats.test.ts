import assert from 'node:assert/strict';
import {
  Formats,
  moneyText,
  timeZoneOf,
  type SettingsGroupName,
  type Settings,
} from '../../../src/domains/settings/index.ts';
import { phpDate } from '../../../src/domains/settings/php-date.ts';

const BERLIN = { zone: 'Europe/Berlin', ms: 1_735_516_805_000 };
const NEW_YORK = { zone: 'America/New_York', ms: 1_751_328_302_000 };
/** Output of `date()` in PHP 8.2 for each format letter. */
const PHP_LETTERS: [letter: string, inBerlin: string, inNewYork: string][] = [
  ['d', '30', '30'],
  ['D', 'Mon', 'Mon'],
  ['j', '30', '30'],
  ['l', 'Monday', 'Monday'],
  ['N', '1', '1'],
  ['S', 'th', 'th'],
  ['w', '1', '1'],
  ['z', '364', '180'],
  ['W', '01', '27'],
  ['F', 'December', 'June'],
  ['m', '12', '06'],
  ['M', 'Dec', 'Jun'],
  ['n', '12', '6'],
  ['t', '31', '30'],
  ['L', '1', '0'],
  ['o', '2025', '2025'],
  ['X', '+2024', '+2025'],
  ['x', '2024', '2025'],
  ['Y', '2024', '2025'],
  ['y', '24', '25'],
  ['a', 'am', 'pm'],
  ['A', 'AM', 'PM'],
  ['B', '041', '045'],
  ['g', '1', '8'],
  ['G', '1', '20'],
  ['h', '01', '08'],
  ['H', '01', '20'],
  ['i', '00', '05'],
  ['s', '05', '02'],
  ['u', '000000', '000000'],
  ['e', 'Europe/Berlin', 'America/New_York'],
  ['I', '0', '1'],
  ['O', '+0100', '-0400'],
  ['P', '+01:00', '-04:00'],
  ['p', '+01:00', '-04:00'],
  ['T', 'CET', 'EDT'],
  ['Z', '3600', '-14400'],
  ['c', '2024-12-30T01:00:05+01:00', '2025-06-30T20:05:02-04:00'],
  ['r', 'Mon, 30 Dec 2024 01:00:05 +0100', 'Mon, 30 Jun 2025 20:05:02 -0400'],
  ['U', '1735516805', '1751328302'],
];

it('when many times are written with the short name of the zone, then its formats are made once', () => {
  const zone = timeZoneOf('Asia/Tokyo') ?? assert.fail();
  const real = Intl.DateTimeFormat;
  let made = 0;
  Intl.DateTimeFormat = new Proxy(real, {
    construct: (target, args: ConstructorParameters<typeof real>) => {
      made += 1;
      return new target(...args);
    },
  });
  try {
    for (let hour = 0; hour < 50; hour += 1) assert.equal(phpDate('T', hour * 3_600_000, zone), '+09:00');
  } finally {
    Intl.DateTimeFormat = real;
  }
  // One for each English locale.
  assert.equal(made, 7);
});

function written(format: string, ms: number, zone: string): string {
  return phpDate(format, ms, timeZoneOf(zone) ?? assert.fail(zone));
}

describe('PHP date formats', () => {
  for (const [column, { zone, ms }] of [BERLIN, NEW_YORK].entries())
    it(`when each format letter is used in ${zone}, then the text equals that of PHP`, () => {
      assert.equal(PHP_LETTERS.length, 40);
      for (const [letter, ...texts] of PHP_LETTERS) assert.equal(written(letter, ms, zone), texts[column], letter);
    });

  it('when a character follows a backslash or is no format letter, then it is copied unchanged', () => {
    const ms = Date.UTC(2026, 10, 22, 9, 5);
    assert.equal(written('l, \\t\\h\\e jS: G\\h i\\\\ é😀 ', ms, 'UTC'), 'Sunday, the 22nd: 9h 05\\ é😀 ');
    assert.equal(written('F j, Y', ms, 'UTC'), 'November 22, 2026');
    assert.equal(written('g:i a', ms, 'UTC'), '9:05 am');
  });

  it('when the ordinal suffix of a day is requested, then it is the English one', () => {
    const days = [1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31].map((day) => written('jS', Date.UTC(2026, 0, day), 'UTC'));
    assert.equal(days.join(' '), '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 31st');
  });

  it('when a week spans two years, then it belongs to the year of its Thursday', () => {
    const weeks = ['2021-01-03', '2020-12-31', '2024-12-30', '2027-01-01'].map((day) =>
      written('o-W', Date.parse(day), 'UTC'),
    );
    assert.deepEqual(weeks, ['2020-53', '2020-53', '2025-01', '2026-53']);
  });

  it('when clocks change, then each moment has the correct local time', () => {
    const around = [1_774_745_999, 1_774_746_000, 1_792_889_999, 1_792_890_000].map((second) =>
      written('H:i:s T I P', second * 1000, 'Europe/Berlin'),
    );
    assert.deepEqual(around, [
      '01:59:59 CET 0 +01:00',
      '03:00:00 CEST 1 +02:00',
      '02:59:59 CEST 1 +02:00',
      '02:00:00 CET 0 +01:00',
    ]);
  });
});

describe('time zone setting', () => {
  it('when the time zone is an offset, then it applies all year', () => {
    const ms = Date.UTC(2026, 6, 1, 12);
    for (const [zone, text] of [
      ['UTC', '12:00 UTC +00:00 0'],
      ['UTC+2', '14:00 +02:00 +02:00 0'],
      ['UTC+5:30', '17:30 +05:30 +05:30 0'],
      ['UTC-3:30', '08:30 -03:30 -03:30 0'],
      ['UTC+14', '02:00 +14:00 +14:00 0'],
      ['UTC+8:45', '20:45 +08:45 +08:45 0'],
    ] as const)
      assert.equal(written('H:i e P I', ms, zone), text);
  });

  it('when the time zone is unknown, then the result is null', () => {
    for (const zone of ['', 'Europe/Atlantis', 'UTC+15', 'UTC+5:20', 'utc+1', 'Berlin'])
      assert.equal(timeZoneOf(zone), null);
  });
});

describe('formats from the settings', () => {
  it('when the settings change, then the next text uses them', () => {
    const ms = Date.UTC(2026, 10, 22, 21, 5);
    let general = { date_format: 'F j, Y', time_format: 'g:i a', timezone_string: 'UTC' };
    const formats = new Formats(<G extends SettingsGroupName>() => general as unknown as Settings<G>);
    assert.deepEqual([formats.date(ms), formats.time(ms)], ['November 22, 2026', '9:05 pm']);
    general = { date_format: 'Y-m-d', time_format: 'H:i', timezone_string: 'UTC+5:30' };
    assert.equal(formats.dateTime(ms), '2026-11-23 02:35');
    general = { ...general, timezone_string: 'Europe/Berlin' };
    assert.equal(formats.dateTime(ms), '2026-11-22 22:05');
  });

  it('when an amount is formatted, then currency sign, separators and decimals follow the settings', () => {
    const settings = {
      currency: 'USD',
      currency_position: 'left',
      thousand_separator: ',',
      decimal_separator: '.',
      decimals: 2,
    };
    const money = (amount: number, changed: object = {}): string =>
      new Formats(<G extends SettingsGroupName>() => ({ ...settings, ...changed }) as unknown as Settings<G>).money(
        amount,
      );
    assert.deepEqual(
      [0, 29.9, 1234567.89].map((amount) => money(amount)),
      ['$0.00', '$29.90', '$1,234,567.89'],
    );
    const european = {
      currency: 'EUR',
      currency_position: 'right_space',
      thousand_separator: '.',
      decimal_separator: ',',
    };
    assert.equal(money(1234.5, european), '1.234,50\u00a0€');
    assert.equal(money(1234.5, { thousand_separator: '', currency_position: 'right' }), '1234.50$');
    assert.equal(money(999.5, { decimals: 0, currency_position: 'left_space' }), '$\u00a01,000');
    assert.equal(money(1.25, { currency: 'CHF', decimals: 3 }), 'CHF1.250');
    assert.equal(money(-5), '-$5.00');
    assert.equal(money(1.005), '$1.01', 'the digits are rounded, not the binary number');
  });

  it('when nobody has set the decimals, then an amount has those of its currency', () => {
    const form = {
      currency_position: 'left',
      thousand_separator: ',',
      decimal_separator: '.',
      decimals: null,
    } as const;
    const texts = ['JPY', 'EUR', 'KWD'].map((currency) => moneyText({ ...form, currency }, 1234.5678));
    assert.deepEqual(texts, ['¥1,235', '€1,234.57', 'KWD1,234.568']);
    assert.equal(moneyText({ ...form, currency: 'JPY', decimals: 2 }, 1234.5), '¥1,234.50');
  });
});

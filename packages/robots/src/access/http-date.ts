// Dates as servers and authors write them → epoch milliseconds (RFC 9110 §5.6.7; RFC 5322 §3.3 and §4.3; page-level
// §2).
//
// `parseHttpDate` knows the three forms of HTTP; `parseLooseDate` adds what page-level signals use: RFC 5322 with
// zones, and ISO 8601. Everything is matched by constant patterns; `Date.parse` guesses, so it is not asked.

const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Hours east of UTC; any other letters (military zones among them) count as UTC, as RFC 5322 §4.3 says. */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

const DAY_NAME = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}';
const MONTH = `(${MONTHS.join('|')})`;
const TIME = '(\\d\\d):(\\d\\d)(?::(\\d\\d))?';
// Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT · 25 Jun 2010 15:00 +0200
const DAY_FIRST = new RegExp(
  `^(?:${DAY_NAME},? *)?(\\d{1,2})[ -]${MONTH}[a-z]{0,6}[ -](\\d{4}|\\d\\d)(?: +${TIME}(?: *([a-z]{1,5}|[+-]\\d\\d:?\\d\\d))?)?$`,
  'i',
);
// Sun Nov  6 08:49:37 1994
const ASCTIME = new RegExp(`^${DAY_NAME} ${MONTH} +(\\d{1,2}) ${TIME} (\\d{4})$`, 'i');
// 2026-11-01 · 2026-11-01T10:00:00.5Z · 2026-01-01 12:00:00 +02:00
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:(?:T| +)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: *(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** Reads an HTTP-date in any of its three forms. @returns Epoch milliseconds, or null (RFC 9110 §5.6.7). */
export function parseHttpDate(text: string): number | null {
  const trimmed = text.trim();
  const isFixdate = /^[a-z]+, .*\d:\d\d:\d\d gmt$/i.test(trimmed);
  return isFixdate ? readDayFirst(trimmed) : readAsctime(trimmed);
}

/**
 * Reads a date in any HTTP form, RFC 822 or 5322 with a zone, or ISO 8601. Without a zone it is UTC, without a time
 * midnight; two-digit years below 70 are 20xx (page-level §2).
 * @returns Epoch milliseconds (fractions of a second dropped), or null.
 */
export function parseLooseDate(text: string): number | null {
  const trimmed = text.trim();
  return readIso(trimmed) ?? readDayFirst(trimmed) ?? readAsctime(trimmed);
}

function readDayFirst(text: string): number | null {
  const match = DAY_FIRST.exec(text);
  if (match === null) return null;
  const [, day, month = '', yearText = '', hour, minute, second, zone] = match;
  const year = yearText.length === 2 ? Number(yearText) + (Number(yearText) < 70 ? 2000 : 1900) : Number(yearText);
  return time([year, monthNumber(month), Number(day)], [hour, minute, second], zone);
}

function readAsctime(text: string): number | null {
  const match = ASCTIME.exec(text);
  if (match === null) return null;
  const [, month = '', day, hour, minute, second, year] = match;
  return time([Number(year), monthNumber(month), Number(day)], [hour, minute, second], undefined);
}

function readIso(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, zone] = match;
  return time([Number(year), Number(month), Number(day)], [hour, minute, second], zone);
}

function monthNumber(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1;
}

function time(
  [year, month, day]: [number, number, number],
  time: (string | undefined)[],
  zone: string | undefined,
): number | null {
  const [hour = 0, minute = 0, second = 0] = time.map((part) => Number(part ?? 0));
  if (year < 1000 || hour > 23 || minute > 59 || second > 60) return null;
  const midnight = Date.UTC(year, month - 1, day);
  // The 31st of February would become the 3rd of March.
  if (new Date(midnight).getUTCDate() !== day || new Date(midnight).getUTCMonth() !== month - 1) return null;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 - zoneMinutes(zone) * 60_000;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = /^[+-](\d\d):?(\d\d)?$/.exec(zone);
  if (digits === null) return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 60;
  return sign * (Number(digits[1]) * 60 + Number(digits[2] ?? 0));
}

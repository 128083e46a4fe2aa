// Dates as servers and authors write them → epoch milliseconds (RFC 9110 §5.6.7; RFC 5322 §3.3 and §4.3; page-level
// §2).
//
// `parseHttpDate` reads the three forms of HTTP; `parseLooseDate` also reads what page-level signals use: RFC 5322 with
// zones, and ISO 8601. Constant patterns match everything; `Date.parse` guesses, so it is not used.

const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Hours east of UTC; any other letters (military zones included) count as UTC, as RFC 5322 §4.3 says. */
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
const MONTH = `(?<month>${MONTHS.join('|')})`;
const HOUR_MINUTE = '(?<hour>\\d\\d):(?<minute>\\d\\d)';
const TIME = `${HOUR_MINUTE}(?::(?<second>\\d\\d))?`;
// Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT · 25 Jun 2010 15:00 +0200
const DAY_FIRST = new RegExp(
  `^(?:${DAY_NAME},? *)?(?<day>\\d{1,2})[ -]${MONTH}[a-z]{0,6}[ -](?<year>\\d{4}|\\d\\d)(?: +${TIME}(?: *(?<zone>[a-z]{1,5}|[+-]\\d\\d:?\\d\\d))?)?$`,
  'i',
);
// Sun Nov  6 08:49:37 1994
const ASCTIME = new RegExp(`^${DAY_NAME} ${MONTH} +(?<day>\\d{1,2}) ${TIME} (?<year>\\d{4})$`, 'i');
// 2026-11-01 · 2026-11-01T10:00:00.5Z · 2026-01-01 12:00:00 +02:00
const ISO = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)(?:(?:T| +)${HOUR_MINUTE}(?::(?<second>\\d\\d)(?:[.,]\\d{1,9})?)?(?: *(?<zone>Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?))?)?$`,
  'i',
);

/** Reads an HTTP-date in any of its three forms. @returns Epoch milliseconds, or null (RFC 9110 §5.6.7). */
export function parseHttpDate(text: string): number | null {
  const trimmed = text.trim();
  const isFixdate = /^[a-z]+, .*\d:\d\d:\d\d gmt$/i.test(trimmed);
  return timeOf((isFixdate ? DAY_FIRST : ASCTIME).exec(trimmed));
}

/**
 * Reads a date in any HTTP form, RFC 822 or 5322 with a zone, or ISO 8601. A missing zone is UTC, a missing time
 * midnight; two-digit years below 70 are 20xx (page-level §2).
 * @returns Epoch milliseconds (fractions of a second dropped), or null.
 */
export function parseLooseDate(text: string): number | null {
  const trimmed = text.trim();
  return timeOf(ISO.exec(trimmed) ?? DAY_FIRST.exec(trimmed) ?? ASCTIME.exec(trimmed));
}

function timeOf(match: RegExpExecArray | null): number | null {
  if (match === null) return null;
  const { year = '', month = '', zone, ...rest } = match.groups ?? {};
  const numberOf = (name: string) => Number(rest[name] ?? 0);
  const [day, hour, minute, second] = [numberOf('day'), numberOf('hour'), numberOf('minute'), numberOf('second')];
  const fullYear = year.length === 4 ? Number(year) : Number(year) + (Number(year) < 70 ? 2000 : 1900);
  const monthIndex = /\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
  if (fullYear < 1000 || hour > 23 || minute > 59 || second > 60) return null;
  const midnight = Date.UTC(fullYear, monthIndex, day);
  // Otherwise 31 February would become 3 March.
  if (new Date(midnight).getUTCMonth() !== monthIndex) return null;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 - zoneMinutes(zone) * 60_000;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = /^[+-](\d\d):?(\d\d)?$/.exec(zone);
  if (digits === null) return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 60;
  return sign * (Number(digits[1]) * 60 + Number(digits[2] ?? 0));
}

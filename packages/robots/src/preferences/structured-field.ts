// A reader of Structured Field dictionaries: key → last value, or null when the text is not a dictionary (RFC 9651
// §4.2; robots §10.2).
//
// Accepts everything that the grammar does (items, inner lists, parameters, all eight bare types), since one bad member
// makes the whole field unreadable. Only tokens are returned, because only they have a meaning here.

// Constant patterns. Every alternative begins with its own character and ends where no other could continue, so that
// none can match in more than one way and each is linear.
const KEY = '[a-z*][a-z\\d_\\-.*]*';
const TOKEN = "[A-Za-z*][\\w!#$%&'*+\\-.^`|~:/]*";
const OTHER =
  '"(?:[ !#-[\\]-~]|\\\\["\\\\])*"|%"(?:[ !#$&-~]|%[\\da-f]{2})*"|@-?\\d{1,15}(?![\\d.])|-?(?:\\d{1,12}\\.\\d{1,3}|\\d{1,15})(?![\\d.])|:[A-Za-z\\d+/=]*:|\\?[01]';
const PARAMETERS = `(?:; *${KEY}(?:=(?:${TOKEN}|${OTHER}))?)*`;
const ITEM = `(?:${TOKEN}|${OTHER})${PARAMETERS}`;
const INNER_LIST = `\\( *(?:${ITEM}(?: +${ITEM})*)? *\\)`;
/** A member and the comma after it, which requires another member. */
const MEMBER = new RegExp(
  `(${KEY})(?:=(?:(${TOKEN})|${OTHER}|${INNER_LIST}))?${PARAMETERS}(?:$|[ \\t]*,[ \\t]*(?!$))`,
  'y',
);

/** Reads a dictionary: key → token, or `''` for other values; null when the text does not parse (RFC 9651 §4.2.2). */
export function parseDictionary(text: string): ReadonlyMap<string, string> | null {
  const trimmed = text.replace(/^ +|(?<! ) +$/g, '');
  const member = new RegExp(MEMBER); // sticky: it has a position, so each call has its own
  const members = new Map<string, string>();
  while (member.lastIndex < trimmed.length) {
    const match = member.exec(trimmed);
    if (match === null) return null;
    members.set(match[1] as string, match[2] ?? '');
  }
  return members;
}

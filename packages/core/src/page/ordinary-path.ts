// Paths and queries in which every character stands for itself, so that the URL parser would leave them as they are.

/** Not ordinary: the parser has to look. */
const ODD = 0;
/** A letter, a digit and what else may begin a segment: `~`, `-`, `_`. */
const PLAIN = 1;
/** May stand in a segment, not at its beginning: a dot or an escape there may be a dot segment. */
const INSIDE = 2;
const SLASH = 3;
const QUESTION = 4;
/** Begins a scheme when it stands in the first segment of an href. */
const COLON = 5;
const HASH = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w~-]/.test(character)) return PLAIN;
  if ('.%!$&()*+,;=@'.includes(character)) return INSIDE;
  return { '/': SLASH, '?': QUESTION, ':': COLON, '#': HASH }[character] ?? ODD;
});

/**
 * Where an ordinary path with its query ends: at the end of the href or before its fragment.
 *
 * Ordinary is a segment that begins with a plain character, more of them each behind one slash, perhaps a slash at the end,
 * and a query of the same characters; or a query alone.
 *
 * @param from - Where the first segment begins, behind the root's or a directory's slash, or a query with its `?`.
 * @param hasColons - Whether a colon may stand in a path: not where it could be the end of a scheme.
 * @returns The place of the end; -1 when the path is not ordinary, which is no more than: ask the parser.
 * @throws Never. The time is linear.
 */
export function ordinaryEnd(href: string, from: number, hasColons: boolean): number {
  const { length } = href;
  let isBeginning = true;
  let at = from;
  for (; at < length; at += 1) {
    const code = href.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : ODD;
    if (kind === PLAIN) isBeginning = false;
    else if (kind === QUESTION && (at === from || !isBeginning || href.charCodeAt(at - 1) === 0x2f))
      return queryEnd(href, at + 1);
    else if (kind === HASH && at > from) return at;
    else if (kind === SLASH && !isBeginning) isBeginning = true;
    else if (isBeginning || !(kind === INSIDE || (kind === COLON && hasColons))) return -1;
  }
  return at > from ? at : -1;
}

function queryEnd(href: string, from: number): number {
  for (let at = from; at < href.length; at += 1) {
    const code = href.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : ODD;
    if (kind === HASH) return at;
    if (kind === ODD) return -1;
  }
  return href.length;
}

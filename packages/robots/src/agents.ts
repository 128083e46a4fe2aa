// Product tokens: what a User-agent line names, and which of a crawler's tokens that is. Names are lower case. Repairs
// of agents are outside the guiding rule P1: they are needed to find the group at all (robots §1).

/** `*`, or a token with an optional version and an optional asterisk behind it (robots §4.4). */
const LISTED_AGENT = /^(\*|[a-z\d_-]+(\/[^*]*)?\*?)$/;

/**
 * The agents of a User-agent line, as RFC 9309 and the other readings see them (RFC 9309 §2.2.1; robots §4.3, §4.4,
 * R18).
 * @param repair - Whether several agents on one line each count (R21).
 * @returns Lower-case tokens and `*`; empty when the line names no crawler.
 */
export function agentsOf(value: string, repair: boolean): string[] {
  const text = value.toLowerCase();
  const pieces = repair ? text.split(/[\s,]+/).filter((piece) => piece !== '') : [];
  if (pieces.length > 1 && pieces.every((piece) => LISTED_AGENT.test(piece))) {
    return pieces.map((piece) => leadingToken(piece, true) || '*');
  }
  const token = isForAll(text) ? '*' : leadingToken(text, true);
  return token === '' ? [] : [token];
}

/** Whether a User-agent value addresses all crawlers: an asterisk, alone or before a blank. */
export function isForAll(value: string): boolean {
  return /^\*(\s|$)/.test(value);
}

/**
 * The leading run of token characters.
 * @param withDigits - Whether digits are token characters (R18: yes in RFC 9309; no for Google).
 */
export function leadingToken(value: string, withDigits: boolean): string {
  return (withDigits ? /^[a-z\d_-]*/ : /^[a-z_-]*/).exec(value)?.[0] as string;
}

/** Whether a crawler may call itself so: letters, digits, hyphen, underscore (robots §4.3). */
export function isProductToken(token: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(token);
}

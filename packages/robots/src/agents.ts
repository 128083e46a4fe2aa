// Product tokens: what a User-agent line names, and which of a crawler's tokens that is. Names are lower case. Repairs
// of agents are outside the guiding rule P1: they are needed to find the group at all (robots §1).

/** What a User-agent value addresses: all crawlers (an asterisk, alone or before a blank), or its leading token. */
const ADDRESSED = /^(?:\*(?=\s|$)|[\w-]*)/;
/** `*`, or a token followed by an optional version and an optional asterisk (robots §4.4). */
const LISTED_AGENT = /^(?:\*|[\w-]+(?:\/[^*]*)?\*?)$/;

/**
 * The lower-case agents of a User-agent line, or `*`; several only with `repair` (robots §4.3, §4.4, R18, R21b).
 * @param addressed - Matches the beginning that counts.
 */
export function agentsOf(value: string, repair: boolean, addressed: RegExp = ADDRESSED): string[] {
  const text = value.toLowerCase();
  const names = repair && text.includes(',') ? listedNames(text) : [];
  if (names.length > 1 && names.every((name) => LISTED_AGENT.test(name))) {
    return names.map((name) => name.replace(/(?!^)[/*].*/s, ''));
  }
  const [agent = ''] = addressed.exec(text) ?? [];
  return agent === '' ? [] : [agent];
}

/** The names of a value between commas. Blanks separate nothing: `Offline Explorer` is one name (R21b). */
export function listedNames(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Whether a name is a valid product token: letters, digits, hyphen, underscore (robots §4.3). */
export function isProductToken(token: string): boolean {
  return /^[\w-]+$/.test(token);
}

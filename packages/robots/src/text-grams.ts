/**
 * Which pairs of bytes occur in the text in hand, and where they last end. Many rules begin `/*`, so all of them are on the
 * walk of a look-up; a pattern whose first pair behind an asterisk does not come any more need not be compared.
 *
 * This is scratch memory of the module, against the house rule: a table of its own would cost each file more than its
 * rules, and nothing is read here that the same decision has not written (what is older lies below the base, and a
 * collision of slots only means a search that could have been saved). Two crawls cannot meet in it.
 */
const scratch = { last: new Float64Array(8192).fill(-1), base: 0, length: 0 };

const STAR = 0x2a;
const DOLLAR = 0x24;

/** Makes a text the text in hand. */
export function rememberText(text: string): void {
  scratch.base += scratch.length;
  scratch.length = text.length;
  for (let i = 1; i < text.length; i++) {
    // Where the pair ends, not where it begins: so a slot never goes back, even when several pairs share it.
    scratch.last[slotOf(text, i)] = scratch.base + i;
  }
}

/**
 * Whether a pattern can match the text in hand; false is certain.
 *
 * @param pattern - Holds the canonical pattern in `[from, to)`.
 */
export function mayMatch(pattern: string, from: number, to: number): boolean {
  let star = from;
  while (star < to && pattern.charCodeAt(star) !== STAR) star++;
  const second = pattern.charCodeAt(star + 2);
  if (star + 2 >= to || pattern.charCodeAt(star + 1) === STAR || second === STAR || second === DOLLAR) return true;
  return (scratch.last[slotOf(pattern, star + 2)] as number) > scratch.base + star - from;
}

function slotOf(text: string, i: number): number {
  return ((text.charCodeAt(i - 1) << 6) ^ text.charCodeAt(i)) & 0x1fff;
}

// Whether markup is too much for a parser without bounds of its own (`html-parser.ts` has them).

import { DOM_CHECKED_CHARS, MAX_DOM_DEPTH, MAX_DOM_ELEMENTS, MAX_DOM_STEPS } from './limits.js';

const DOM_LIMITS = { depth: MAX_DOM_DEPTH, steps: MAX_DOM_STEPS };

/** Elements that are empty, or that the next of their kind closes: they do not nest. */
const FLAT: ReadonlySet<string> = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd option optgroup tr td th thead tbody tfoot rt rp body head html'
  ).split(' '),
);

/** Matches up to the end of the tag if that is near, so that self-closing tags are recognized. */
const TAG = /<(\/?)([A-Za-z_][^\s/>]*)(?:[^<>]{0,1024}?(\/)?>)?/g;

/**
 * Why a page is too much for a tree builder, which looks up its open elements for most tags and uses some hundred bytes
 * for each; `null`: it is not. Tags are counted, not parsed: those in scripts and comments count too, which is
 * stricter. Linear in the length of the text. Short texts are not checked.
 * @param most - Elements that may nest, and open elements over all tags.
 */
export function domFault(text: string, isXml: boolean, most = DOM_LIMITS): string | null {
  if (most === DOM_LIMITS && text.length <= DOM_CHECKED_CHARS) return null;
  let tags = 0;
  let steps = 0;
  /**
   * Open elements whose end tag closes the last element of its name and everything inside, and their counts by name.
   */
  const open: string[] = [];
  const counts = new Map<string, number>();
  /** The number of open elements if each end tag closes at most one element. */
  let unclosed = 0;
  for (const [, slash, given = '', closesItself] of text.matchAll(TAG)) {
    tags += 1;
    if (tags > MAX_DOM_ELEMENTS) return `more than ${MAX_DOM_ELEMENTS} tags`;
    steps += Math.max(open.length, unclosed);
    if (steps > most.steps) return 'too many tags that deep';
    const name = isXml ? given : given.toLowerCase();
    // In HTML, self-closing tags are common in SVG and MathML and rare elsewhere. In XML every element nests.
    if (closesItself !== undefined || (!isXml && FLAT.has(name))) continue;
    if (slash === '') {
      open.push(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      unclosed += 1;
      if (Math.max(open.length, unclosed) > most.depth) return `elements nested more than ${most.depth} deep`;
      continue;
    }
    unclosed = Math.max(0, unclosed - 1);
    for (let last = (counts.get(name) ?? 0) > 0 ? open.pop() : undefined; last !== undefined; ) {
      counts.set(last, (counts.get(last) ?? 0) - 1);
      last = last === name ? undefined : open.pop();
    }
  }
  return null;
}

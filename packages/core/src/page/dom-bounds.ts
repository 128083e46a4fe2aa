// Whether a page may become a tree. The pass that every page gets keeps none, so depth costs it nothing; the tree
// builders behind `page.$` look up their stack of open elements for most tags, which a page of a million open elements
// turns into hours, and give every element some hundred bytes. Browsers stop at a depth of 512.

import { DOM_CHECKED_CHARS, MAX_DOM_DEPTH, MAX_DOM_STEPS, MAX_DOM_TAGS } from './limits.js';

/** Elements that hold nothing, or that the next of their kind closes: they do not nest. */
const FLAT: ReadonlySet<string> = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd option optgroup tr td th thead tbody tfoot rt rp body head html'
  ).split(' '),
);

/** Up to the end of the tag where that is near, so that a tag that closes itself is known. */
const TAG = /<(\/?)([A-Za-z_][^\s/>]{0,31})(?:[^<>]{0,1024}?(\/)?>)?/g;

/**
 * What speaks against a tree.
 *
 * Tags are counted, not parsed: what stands in scripts and comments counts too, which is the stricter way.
 *
 * @param isXml - Every element nests.
 * @returns `null`: nothing.
 * @throws Never. Linear in the length of the text, which is not looked at where it is too short to do harm.
 */
export function domFault(text: string, isXml: boolean): string | null {
  if (text.length <= DOM_CHECKED_CHARS) return null;
  let tags = 0;
  let depth = 0;
  let steps = 0;
  for (const [, slash, name = '', closesItself] of text.matchAll(TAG)) {
    tags += 1;
    if (tags > MAX_DOM_TAGS) return `more than ${MAX_DOM_TAGS} tags`;
    // A builder looks at the open elements for most tags, those that do not nest included.
    steps += depth;
    if (steps > MAX_DOM_STEPS) return 'too many tags that deep';
    if (!isXml && FLAT.has(name.toLowerCase())) continue;
    // HTML knows tags that close themselves in SVG and MathML only; there they are common, and elsewhere rare.
    if (closesItself !== undefined) continue;
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_DOM_DEPTH) return `elements nested more than ${MAX_DOM_DEPTH} deep`;
  }
  return null;
}

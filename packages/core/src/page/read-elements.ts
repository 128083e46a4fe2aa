// Runs htmlparser2 over HTML within a bound. It builds no tree, but at every end tag it searches all open elements, and
// end tags that match nothing leave them open.

import { type Handler, Parser } from 'htmlparser2';
import { MAX_DOM_DEPTH } from './limits.js';

const TOO_DEEP = new Error(`elements nested more than ${MAX_DOM_DEPTH} deep`);

/** `false`: the rest was not read, since elements nest deeper than `MAX_DOM_DEPTH`. Linear in the length. */
export function readElements(html: string, handler: Partial<Handler>): boolean {
  let depth = 0;
  const parser = new Parser({
    ...handler,
    onopentagname(name) {
      depth += 1;
      if (depth > MAX_DOM_DEPTH) throw TOO_DEEP;
      handler.onopentagname?.(name);
    },
    onclosetag(name, isImplied) {
      depth -= 1;
      handler.onclosetag?.(name, isImplied);
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
    return false;
  }
  return true;
}

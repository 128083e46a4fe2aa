// Where in a page SVG or MathML holds rather than HTML. There `<title>` is no page title, `<style>` and `<script>` hold
// markup, and `<x/>` closes itself. Only the open SVG and MathML elements are kept, not the tree around them.

import { MAX_FOREIGN_DEPTH } from './limits.js';

/** Elements inside SVG and inside MathML whose content is HTML again. */
const INTEGRATION_POINTS: Readonly<Record<'svg' | 'math', ReadonlySet<string>>> = {
  svg: words('foreignobject desc title'),
  math: words('mi mo mn ms mtext annotation-xml'),
};

/** HTML elements that end SVG and MathML (HTML, "the rules for parsing tokens in foreign content"). */
const BREAKOUT = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

/**
 * End tags that end SVG and MathML unless they close an element inside: a page that forgets `</svg>` goes on to close
 * what lies around it. (An end tag that closes nothing would be ignored; here it is taken to close something.)
 */
const CLOSING = words(
  'a article aside b big blockquote br button caption center code dd details dialog div dl dt em fieldset figcaption ' +
    'figure font footer form h1 h2 h3 h4 h5 h6 header i label legend li listing main menu nav nobr noscript ol option ' +
    'p pre ruby s section select small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var',
);

/** The SVG and MathML elements that are open. Bounded: deeper ones count as content of the deepest that is kept. */
export class ForeignContext {
  readonly #open: { readonly name: string; readonly inside: 'svg' | 'math' | 'html' }[] = [];

  /** Whether anything is open. As long as not, only `svg` and `math` need to be passed to `open`. */
  get isUsed(): boolean {
    return this.#open.length > 0;
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#open.length;
  }

  /** Whether tags here are SVG or MathML. */
  get isForeign(): boolean {
    return this.#open.length > 0 && this.#inside() !== 'html';
  }

  /** An element opens. `name`: lower case. Returns whether it is SVG or MathML. */
  open(name: string, closesItself: boolean): boolean {
    if (this.isForeign && BREAKOUT.has(name)) this.#breakOut();
    const around = this.#inside();
    if (around === 'html' && name !== 'svg' && name !== 'math') return false;
    if (closesItself || this.#open.length >= MAX_FOREIGN_DEPTH) return true;
    const language = around === 'html' ? (name as 'svg' | 'math') : around;
    this.#open.push({ name, inside: around !== 'html' && INTEGRATION_POINTS[around].has(name) ? 'html' : language });
    return true;
  }

  /** An element closes, with everything left open inside it. `name`: lower case. */
  close(name: string): void {
    const place = this.#open.findLastIndex((each) => each.name === name);
    if (!this.isForeign) {
      // Of the end tags in HTML inside SVG, only those of SVG matter.
      if (place >= 0 && (place === this.#open.length - 1 || name === 'svg' || name === 'math')) this.leave(place);
    } else if (place >= 0) {
      this.leave(place);
    } else if (CLOSING.has(name)) {
      this.#breakOut();
    }
  }

  /** Back to an earlier depth. */
  leave(depth: number): void {
    if (depth < this.#open.length) this.#open.length = depth;
  }

  #inside(): 'svg' | 'math' | 'html' {
    return this.#open.at(-1)?.inside ?? 'html';
  }

  #breakOut(): void {
    while (this.isForeign) this.#open.pop();
  }
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

// Where in a page SVG or MathML holds rather than HTML. There `<title>` is no page title, `<style>` and `<script>` do not
// swallow text, and `<x/>` closes itself. The SVG and MathML elements that are open are remembered, not the page's tree: what
// lies around them is unknown here, and so are HTML elements left open inside them.

import { MAX_FOREIGN_DEPTH } from './limits.js';

/** Elements inside SVG and inside MathML whose content is HTML again. */
const INTEGRATION_POINTS: Readonly<Record<'svg' | 'math', ReadonlySet<string>>> = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml']),
};

/** HTML elements that end SVG and MathML wherever they stand (HTML, "the rules for parsing tokens in foreign content"). */
const BREAKOUT = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

/**
 * End tags that end SVG and MathML unless they close one of its own elements: a page that forgets `</svg>` goes on to close
 * what lies around it. (One that closes nothing would be ignored; that it closes something is taken for granted.)
 */
const CLOSING = words(
  'a article aside b big blockquote br button caption center code dd details dialog div dl dt em fieldset figcaption figure ' +
    'font footer form h1 h2 h3 h4 h5 h6 header i label legend li listing main menu nav nobr noscript ol option p pre ruby s ' +
    'section select small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var',
);

/** What an open element makes of the tags inside it. */
type Inside = 'svg' | 'math' | 'html';

/** The SVG and MathML open at one place of a page. Bounded: what nests deeper is taken as lying in the deepest kept. */
export class ForeignContext {
  readonly #names: string[] = [];
  /** For each of them. */
  readonly #insides: Inside[] = [];

  /** Whether anything is open: as long as not, tags other than `svg` and `math` need not be told. */
  get isUsed(): boolean {
    return this.#names.length > 0;
  }

  /** How many elements are open, to come back to by {@link leave}. */
  get depth(): number {
    return this.#names.length;
  }

  /** Whether tags here are SVG or MathML. */
  get isForeign(): boolean {
    return this.#inside() !== 'html';
  }

  /**
   * An element opens.
   *
   * @param name - Lower case.
   * @param closesItself - `<x/>`
   * @returns Whether it is one of SVG or MathML.
   */
  open(name: string, closesItself: boolean): boolean {
    if (this.isForeign && BREAKOUT.has(name)) this.#breakOut();
    const around = this.#inside();
    if (around === 'html' && name !== 'svg' && name !== 'math') return false;
    if (closesItself || this.#names.length >= MAX_FOREIGN_DEPTH) return true;
    const language = around === 'html' ? (name as 'svg' | 'math') : around;
    this.#names.push(name);
    this.#insides.push(around !== 'html' && INTEGRATION_POINTS[around].has(name) ? 'html' : language);
    return true;
  }

  /** An element closes, with what was left open inside it. @param name - Lower case. */
  close(name: string): void {
    const names = this.#names;
    if (!this.isForeign) {
      // Of what HTML inside SVG closes, only the ends of SVG matter; the rest is HTML's own.
      if (name === names.at(-1) || name === 'svg' || name === 'math') this.#closeTo(names.lastIndexOf(name));
      return;
    }
    const place = names.lastIndexOf(name);
    if (place >= 0) this.#closeTo(place);
    else if (CLOSING.has(name)) this.#breakOut();
  }

  /** Back to an earlier depth: something around all that was opened since is closed. */
  leave(depth: number): void {
    if (depth < this.#names.length) this.#closeTo(depth);
  }

  #inside(): Inside {
    return this.#insides.at(-1) ?? 'html';
  }

  #closeTo(depth: number): void {
    if (depth < 0) return;
    this.#names.length = depth;
    this.#insides.length = depth;
  }

  #breakOut(): void {
    while (this.isForeign) this.#closeTo(this.#names.length - 1);
  }
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

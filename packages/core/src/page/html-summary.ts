// What one pass over a page yields: plain data, nothing decided.

/** A link as written, with what the page says of it. */
export interface LinkTag {
  /** The href with entities decoded, trimmed of ASCII white space, not resolved. */
  readonly href: string;
  /** Words of `rel`, lower case. */
  readonly rel: readonly string[];
  readonly element: 'a' | 'area' | 'frame' | 'iframe' | 'img' | 'link';
}

/** A `meta` element that exclusion may want to know: robots, tokens, tdm-reservation, SPIDER BY … */
export interface MetaTag {
  readonly name: string;
  readonly content: string | null;
  readonly value: string | null;
}

/** A `link` element that exclusion or discovery may want to know: canonical, indexinstead, alternate, next … */
export interface LinkElement {
  readonly rel: readonly string[];
  readonly name: string | null;
  readonly href: string | null;
  readonly content: string | null;
}

/** What the pass over an HTML page found, as written and unresolved. */
export interface HtmlSummary {
  readonly title: string | null;
  /** `href` of the first `base` with one. */
  readonly baseHref: string | null;
  readonly links: readonly LinkTag[];
  readonly metas: readonly MetaTag[];
  readonly linkElements: readonly LinkElement[];
  /** `meta http-equiv=refresh`: its content. */
  readonly refresh: string | null;
  /** Links past the cap that were not kept. */
  readonly linksDropped: number;
}

// A response becomes a page: its kind, its facts from one pass, and what it asks of crawlers. What this needs of other
// stages (charsets, the site's tdmrep.json, the clock) is handed in.

import type { PageWork } from '@mannerly/frontier';
import type { TdmReservation } from '@mannerly/robots/page';
import { headerValue, type ResponseOutcome } from '../fetch/outcome.js';
import { type ContentKind, contentOf } from './content-kind.js';
import { excludePage } from './exclusion.js';
import type { ExclusionKnobs } from './exclusion-options.js';
import { HTML_CAPS, readHtml } from './html.js';
import { createFetchedPage, type FetchedPage } from './page.js';
import { type PageUnits, utf8Page } from './page-units.js';

/** Makes pages of responses. */
export interface PageReader {
  /** Never rejects but with what `tdmFor` threw. */
  read(work: Pick<PageWork, 'url' | 'record' | 'signals'>, outcome: ResponseOutcome): Promise<FetchedPage>;
}

/** What a reader is made of. */
export interface PageReaderParts {
  /** Octets to text by byte order mark, header, the page itself, or a guess. */
  readonly decodeText: (body: Uint8Array, contentType: string | null, kind: ContentKind) => string;
  /**
   * Where the text of a body begins that is UTF-8 by the same rules, `null` for other charsets: such a page is read without
   * being decoded. Without this every page is decoded first.
   */
  readonly utf8Start?: (body: Uint8Array, contentType: string | null, kind: ContentKind) => number | null;
  /** What the site's tdmrep.json says of a URL. */
  readonly tdmFor: (url: string) => Promise<TdmReservation>;
  /** Whether the fetcher joins field lines of one name. */
  readonly joinsHeaders: boolean;
  readonly tokens: readonly string[];
  readonly knobs: ExclusionKnobs;
  readonly nowMs: () => number;
}

/** Makes the reader of one run. */
export function createPageReader(parts: PageReaderParts): PageReader {
  const { decodeText, utf8Start, tokens, knobs, nowMs } = parts;
  return {
    async read(work, outcome) {
      const content = contentOf(outcome.headers, outcome.body);
      const { headers, body } = outcome;
      const type = headerValue(headers, 'content-type');
      let text: string | null = null;
      const decode = (): string => {
        text ??= decodeText(body, type, content.kind);
        return text;
      };
      const units = (): string | PageUnits => {
        const start = utf8Start?.(body, type, content.kind) ?? null;
        return start === null ? decode() : utf8Page(body.subarray(start));
      };
      const facts = content.kind === 'html' ? readHtml(units(), HTML_CAPS) : null;
      const tdm = await parts.tdmFor(work.url);
      const exclusion = excludePage({
        work,
        headers,
        isJoined: parts.joinsHeaders,
        facts,
        tdm,
        tokens,
        knobs,
        nowMs: nowMs(),
      });
      return createFetchedPage({ work, outcome, content, facts, exclusion, decode });
    },
  };
}

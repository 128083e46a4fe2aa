// What an item and a page say of their licence.

/** The licence of an item, as its document was read for the purposes of the crawl. */
export interface ItemLicense {
  /** The URL of the document; of one that stands in the page, the page's. */
  readonly document: string;
  /** When it was received, epoch milliseconds; `null`: it was not requested, or did not come. */
  readonly fetchedAtMs: number | null;
  /** SHA-256 of its text, 64 hex digits; `null`: there is none. */
  readonly digest: string | null;
  /** `none`, `free`, `attribution`, `terms`, `payment`, `token`, `unread`, `unreadable` or `prohibited`. */
  readonly outcome: string;
  /** The element that decided, `content[1]/license[1]`; `null`: none did. */
  readonly element: string | null;
  /** What is asked, `0.015 USD`; `null`: nothing, or nothing that can be read. */
  readonly price: string | null;
}

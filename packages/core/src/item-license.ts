// What an item and a page say about their licence.

/** The licence of an item, as its document was interpreted for the purposes of the crawl. */
export interface ItemLicense {
  /** The URL of the document; if it is inside the page, the page's. */
  readonly document: string;
  /** When it was received, epoch milliseconds; `null`: it was not requested, or not received. */
  readonly fetchedAtMs: number | null;
  /** SHA-256 of its text, 64 hex digits; `null`: there is none. */
  readonly digest: string | null;
  /** `none`, `free`, `attribution`, `terms`, `payment`, `token`, `unread`, `unreadable` or `prohibited`. */
  readonly outcome: string;
  /** The element that decided, `content[1]/license[1]`; `null`: none did. */
  readonly element: string | null;
  /** The price, `0.015 USD`; `null`: none, or unreadable. */
  readonly price: string | null;
}

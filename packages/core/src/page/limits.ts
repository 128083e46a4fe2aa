// The bounds of what is read from pages, each with its unit and its source.

// Pages
/** Links kept of one page; later ones are only counted. Ours: the longest pages of large sites have a few thousand. */
export const MAX_PAGE_LINKS = 20_000;
/** Total characters of one page's resolved links: a long base makes long URLs of short hrefs. Ours. */
export const MAX_PAGE_LINK_CHARS = 4 * 1024 * 1024;
/** Characters of an attribute. A longer link is dropped and a longer `content` cut; page-level §3 requires 8 KiB. */
export const MAX_ATTRIBUTE_CHARS = 16_384;
export const MAX_TITLE_CHARS = 1_024; // characters of a page's title. Ours
export const MAX_PAGE_METAS = 1_000; // `meta` elements with a name kept of a page. Ours: usual are fewer than fifty
export const MAX_PAGE_LINK_ELEMENTS = 1_000; // `link` elements kept of one page. Ours
export const MAX_FOREIGN_DEPTH = 64; // nested SVG and MathML contexts of one page. Ours: real pages nest two or three
/** Seconds up to which a refresh counts as a redirect. After a longer delay, the page is a page. Ours. */
export const MAX_REFRESH_REDIRECT_SECONDS = 5;
export const MAX_FILE_HOPS = 5; // redirects of one file that a page needs (licensing §11), as of robots.txt (access §3)
/** First bytes read to detect the kind of content (MIME Sniffing reads 1,445; its signatures end before 512). */
export const SNIFFED_BYTES = 512;

// Charsets
export const CHARSET_PRESCAN_BYTES = 1_024; // bytes of HTML searched for a charset (WHATWG HTML, "prescan")
/** Bytes of a document, markup included, searched for something to guess its charset by. Ours. */
export const CHARSET_SEARCH_BYTES = 64 * 1024;
export const CHARSET_SAMPLE_BYTES = 8_192; // bytes that a charset is guessed by: about five milliseconds. Ours
export const MIN_HIGH_BYTES = 8; // with fewer non-ASCII bytes no charset is guessed. Ours: a single © looks Polish
export const MIN_CHARSET_CONFIDENCE = 15; // the detector's least confidence, in hundredths. Ours: Czech text scores 19

// Sitemaps and feeds
export const MAX_FREQUENCY_FIELDS = 34; // elements of a feed about how often it is read: 24 hours, 7 days, three more
export const MAX_SITEMAP_URLS = 50_000; // URLs of one sitemap (sitemaps.org)
export const MAX_SITEMAP_ALTERNATES = 64; // language variants kept of one entry. Ours
export const MAX_SITEMAP_FIELD_CHARS = 256; // characters kept of `lastmod`, a title and their like. Ours
export const MAX_SITEMAP_LINES_WITHOUT_URL = 100; // lines without a URL after which a text is not a list of URLs. Ours
export const SITEMAP_BATCH = 1_000; // URLs that go to the frontier at once
export const MAX_XML_DEPTH = 100; // elements inside each other in an XML document. Ours: feeds nest about ten
export const MAX_XML_ATTRIBUTES = 256; // attributes of one tag in an XML document. Ours
export const MAX_XML_TOKEN_CHARS = 256 * 1024; // characters of one tag, comment or declaration in an XML document. Ours

// What pages need to be shown
/** Files that are read as requisites of one page or style sheet: the greatest `archive.requisites.perPage`. */
export const MAX_PAGE_REQUISITES = 1_000;

// The DOM of a page
export const MAX_DOM_DEPTH = 1_000; // elements nested in a page of which a tree is made. Browsers flatten from 512 on
export const MAX_DOM_ELEMENTS = 1_000_000; // tags of a page of which a tree is made: some 300 MB. Ours
/** Open elements that a tree builder may have to check, summed over all tags of a page: about a second. */
export const MAX_DOM_STEPS = 30_000_000;
export const SLOW_PAGE_MS = 250; // milliseconds to read a page; slower pages are reported. Ours

// What pages say in structure, and their text
/** Characters at the beginning of a page in which its language is searched for. Ours: `html` comes first. */
export const LANGUAGE_CHARS = 16_384;
export const MAX_MAIN_TEXT_DEPTH = 256; // elements nested in a page whose main text is looked for. Ours
/** Open elements summed over all tags of such a page. Readability's work grows with it: measured, a second or two. */
export const MAX_MAIN_TEXT_STEPS = 4_000_000;
export const MAX_MAIN_TEXT_ELEMENTS = 100_000; // elements of such a page. Ours
/** Characters of its attributes, since Readability's patterns take quadratic time. `content` stays whole. Ours. */
export const MAX_MAIN_TEXT_ATTRIBUTE_CHARS = 512;
export const MAX_MAIN_TEXT_ATTRIBUTES_CHARS = 16 * 1_024 * 1_024; // characters of all its attributes. Ours
/** Characters of an item's type; longer ones are ignored: the reader takes quadratic time. Ours: they are URLs. */
export const MAX_ITEM_TYPE_CHARS = 1_024;
/** White space in a row kept of a page read for structured data, since the reader takes quadratic time. Ours. */
export const MAX_STRUCTURED_BLANKS = 100;
/** Total characters of a page's items, counting one per value, and how deep they may nest. Ours. */
export const MAX_STRUCTURED_CHARS = 16 * 1024 * 1024;
export const MAX_STRUCTURED_DEPTH = 256;
export const MAX_PDF_PAGES = 5_000; // pages of a PDF that are read. Ours
export const MAX_PDF_CHARS = 16 * 1024 * 1024; // characters of their text
/** Text items (as in PDF.js) of one PDF, mostly a line each. A form that nests others twice makes millions. Ours. */
export const MAX_PDF_TEXT_ITEMS = 2_000_000;
export const MAX_PDF_MS = 30_000; // for one PDF, half of what its handler has
export const MAX_PDF_WAIT_MS = 60_000; // for the PDFs before it, as long as a handler has by default
export const MAX_PDF_MEMORY_MIB = 1_024; // by which the process may grow while one is read
export const PDF_WATCH_MS = 100; // milliseconds between two checks of both
export const PDF_THREAD_IDLE_MS = 10_000; // until a thread without a PDF ends
export const MAX_PDF_BYTES = 256 * 1024 * 1024; // bytes of a PDF that is read into memory from a file. Ours

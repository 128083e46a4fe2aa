// The engine as the command wants it, before anything is compiled. The HTTP parser is one large WebAssembly function, and to
// optimise it takes V8 some 36 megabytes for a moment, once in every process, for three hundredths of a crawl's processor time.
// A program that embeds the crawler decides by itself: `node --no-wasm-tier-up --no-wasm-dynamic-tiering`.

import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

// The load of the frontier benchmark: pages of 60 links, 70 % of them known, hosts by Zipf's law. URL number n has the
// same host, fingerprint and body in every run.

const LINKS = 60;
const KNOWN_SHARE = 0.7;

/**
 * A link. Not an object literal: when batches of those survive minor collections, V8 may allocate all later ones as old
 * (pretenuring). Each page would then be kept until the next full collection, in some runs only.
 */
class Link {
  constructor(host, lane, fingerprint, body) {
    this.host = host;
    this.lane = lane;
    this.fingerprint = fingerprint;
    this.priority = 4;
    this.body = body;
  }
}

/** A load over `hosts` hosts with bodies of `maxBodyBytes`. */
export function createLoad({ hosts, maxBodyBytes, seed = 1 }) {
  const chosen = zipf(hosts);
  let made = 0;
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state) / 0x1_0000_0000;
  };
  const entry = (number) => {
    const fingerprint = new Uint8Array(8);
    const view = new DataView(fingerprint.buffer);
    view.setUint32(0, mix(number ^ 0x5bd1e995));
    view.setUint32(4, mix(mix(number) + 0x27d4eb2f));
    const body = new Uint8Array(maxBodyBytes).fill(0x61);
    view.setUint32(0, view.getUint32(0) ^ Math.floor(number / 2 ** 32));
    body[0] = number;
    const host = chosen(mix(number + 0x165667b1) / 0x1_0000_0000);
    return new Link(`host-${host}.example.org`, `https://host-${host}.example.org`, fingerprint, body);
  };
  return {
    /** URLs made so far. */
    get made() {
      return made;
    },
    /** New URLs only. */
    fresh: (count) => Array.from({ length: count }, () => entry(made++)),
    /** The links of one page. */
    page: () =>
      Array.from({ length: LINKS }, () =>
        entry(made > 0 && random() < KNOWN_SHARE ? Math.floor(random() * made) : made++),
      ),
  };
}

/** Draws a rank by Zipf's law: the first hosts are the largest. */
function zipf(count) {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    upTo[rank] = sum;
  }
  return (share) => {
    const wanted = share * sum;
    let [from, to] = [0, count - 1];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (upTo[middle] < wanted) from = middle + 1;
      else to = middle;
    }
    return from;
  };
}

function mix(number) {
  let mixed = Math.imul((number >>> 0) ^ (number >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

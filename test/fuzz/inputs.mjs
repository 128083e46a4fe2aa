// Inputs for a reader: parts of samples, hostile units repeated few or very many times, and random bytes and
// characters, in any order. fast-check makes them from a seed, and shrinks an input that fails.

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';

/** The most bytes of an input: a quadratic reader then takes seconds. */
export const MAX_INPUT_BYTES = 131_072;
const MAX_PIECES = 12;

const folder = new URL('samples/', import.meta.url);
/** Typical input, one file each: documents of every kind, and inputs that once failed. */
const SAMPLES = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(new URL(name, folder)));

/** Inputs for a reader to which these units are significant. */
export function inputsOf(units) {
  const times = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 3, arbitrary: fc.integer({ min: 5, max: 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 400, max: 60_000 }) },
  );
  const repeated = fc
    .tuple(fc.constantFrom(...units), times)
    .map(([unit, count]) => Buffer.from(repeat(unit, count), 'latin1'));
  const sampled = fc
    .tuple(fc.constantFrom(...SAMPLES), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 2_000 }))
    .map(([sample, at, length]) => sample.subarray(at * sample.length, at * sample.length + length));
  const whole = fc.constantFrom(...SAMPLES);
  const bytes = fc.uint8Array({ maxLength: 64 }).map((each) => Buffer.from(each));
  const characters = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text));
  const piece = fc.oneof(
    { weight: 6, arbitrary: repeated },
    { weight: 3, arbitrary: sampled },
    { weight: 1, arbitrary: whole },
    { weight: 2, arbitrary: bytes },
    { weight: 1, arbitrary: characters },
  );
  return fc
    .array(piece, { minLength: 1, maxLength: MAX_PIECES })
    .map((pieces) => Buffer.concat(pieces).subarray(0, MAX_INPUT_BYTES));
}

function repeat(unit, count) {
  return unit.repeat(Math.min(count, Math.ceil(MAX_INPUT_BYTES / unit.length)));
}

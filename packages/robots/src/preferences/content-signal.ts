// Which pieces of a Content-Signal line can be read (robots §10.1): `key=value`, and for the keys that are known one of
// their words. The keys are data (DECISION R50): documents will go on renaming them.

const PIECE =
  /^\s*(?:(?:search|ai-input|ai-train)\s*=\s*(?:yes|no)\s*|use\s*=\s*(?:immediate|reference|full)\s*|(?!(?:search|ai-input|ai-train|use)\s*=)[^=\s][^=]*=.*)$/is;

/** Whether a piece can be read; one that cannot earns `content-signal-invalid`. */
export function isSignalPiece(piece: string): boolean {
  return PIECE.test(piece);
}

/** A preference line without the path that it may begin with (robots §10.1, §10.2, R49). */
export function withoutPath(value: string): string {
  return value.trim().replace(/^\/[^ \t]*[ \t]*/, '');
}

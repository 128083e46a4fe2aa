// Which readings of a file count together. All of them must allow; the first that denies decides. A file can select
// 2.0.0 itself, but RFC 9309 does not let other records interfere with rules: the intersection honours both (R34).

import type { Readings } from './decide.js';
import type { BaseDialect, Dialect, GroupSpan, Selection } from './dialects.js';
import { google, rfc9309, selectGeneral, type VersionReading, v2, versionReading, y1994, y1996 } from './dialects.js';
import type { RobotsDocument } from './document.js';
import { groupSpans, selectGroups } from './groups.js';
import type { ResolvedCompileOptions } from './options.js';
import { compileReading, type Reading } from './reading.js';

const DIALECTS: Readonly<Record<BaseDialect, Dialect>> = { rfc9309, google, '1996': y1996, '1994': y1994 };

/** The groups that apply to a crawler in a base dialect, all groups, and the `*` groups (robots §4.3, §9). */
export function selectionOf(
  document: RobotsDocument,
  name: BaseDialect,
  tokens: readonly string[],
): Selection & Record<'all' | 'starred', readonly GroupSpan[]> & { readonly dialect: Dialect } {
  const dialect = DIALECTS[name];
  const all = groupSpans(document, dialect);
  const starred = all.filter(({ agents }) => agents.includes('*'));
  const { spans, agent } = selectGroups(dialect, all, tokens);
  return { spans, agent, all, starred, dialect };
}

/** The readings of a file that count for a crawler; at least one (robots §5.5, §8). */
export function readingsOf(document: RobotsDocument, settings: ResolvedCompileOptions): Readings {
  const { tokens, policy, dialect } = settings;
  const base = DIALECTS[dialect];
  const selection = selectionOf(document, dialect, tokens);
  const readings: Reading[] = [];
  const add = (reading: Dialect, spans: readonly GroupSpan[], agent: string | null) => {
    if (spans.length > 0) readings.push(compileReading(document, reading, { spans, agent }, settings));
  };
  const spansOfVersion = (spans: readonly GroupSpan[], reading: VersionReading) =>
    spans.filter((span) => versionReading(span.version) === reading);
  const isNamed = (agent: string | null) => agent !== null && agent !== '*';
  const { all, starred } = selection;
  // A 2.0.0 author who named us by a general match withheld something that the base dialect cannot see.
  const general = selectGeneral(isNamed(selection.agent) ? [] : spansOfVersion(all, 'two'), tokens);
  if (policy === 'declared-only') {
    // The pure reading: declared groups in 2.0.0, others in the base dialect.
    const { spans, agent } = general.agent === null ? selection : general;
    const addByVersion = (selected: readonly GroupSpan[], name: string | null) => {
      const version2Spans = spansOfVersion(selected, 'two');
      add(
        base,
        selected.filter((span) => !version2Spans.includes(span)),
        name,
      );
      add(v2, version2Spans, name);
    };
    const experimental = spansOfVersion(spans, 'experimental');
    // R23: without a `*` group an experimental group is read in the base dialect after all.
    const isReplaced = experimental.length > 0 && agent !== '*' && starred.length > 0;
    addByVersion(isReplaced ? spans.filter((span) => !experimental.includes(span)) : spans, agent);
    if (isReplaced) addByVersion(starred, '*');
    // If no group applies, one reading says so.
    if (spans.length === 0) readings.push(compileReading(document, base, selection, settings));
  } else {
    for (const name of policy === 'strictest' ? settings.strictDialects : [dialect]) {
      const { spans, agent } = name === dialect ? selection : selectionOf(document, name, tokens);
      readings.push(compileReading(document, DIALECTS[name], { spans, agent }, settings));
    }
    if (policy !== 'base') {
      add(v2, spansOfVersion(selection.spans, 'two'), selection.agent);
      add(v2, general.spans, general.agent);
      if (isNamed(selection.agent) && spansOfVersion(selection.spans, 'experimental').length > 0)
        add(base, starred, '*');
    }
  }
  // A copy has no spare capacity.
  return readings.slice() as [Reading, ...Reading[]];
}

// HTML as strings, with one rule: whatever comes from a site or a log is escaped and freed of control characters first.

import { printable } from '../table.js';

/** Text made safe to stand in HTML, attributes included. At most `limit` characters. @throws Never */
export function escaped(text: string, limit = 400): string {
  return printable(text, limit)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A value as JSON that may stand in a `script` element. @throws Never */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** A column of a table. */
export interface Column {
  readonly label: string;
  /** `bar`: a drawing, that is not sorted by. */
  readonly kind: 'text' | 'number' | 'bar';
}

/** A cell: HTML, and what it sorts by where that is not its text. */
export interface Cell {
  readonly html: string;
  readonly sort?: number | null;
}

/** A row; the first cell is its heading. */
export interface Row {
  readonly cells: readonly Cell[];
  /** For the page's script. */
  readonly host?: string;
}

/** A table. */
export interface TableParts {
  readonly id: string;
  /** HTML. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A table whose headings sort it; on a narrow screen its rows are cards. @throws Never */
export function tableHtml({ id, caption, columns, rows }: TableParts): string {
  const heads = columns.map(({ label, kind }) => {
    if (kind === 'bar') return `<th scope="col" class="bar-head">${label}</th>`;
    return `<th scope="col" class="${kind}"><button type="button" class="sort">${label}</button></th>`;
  });
  const body = rows.map(({ cells, host }) => {
    const tds = cells.map((cell, index) => cellHtml(cell, columns[index] as Column, index));
    return `<tr${host === undefined ? '' : ` data-host="${escaped(host)}"`}>${tds.join('')}</tr>`;
  });
  return `<div class="scroll"><table class="sortable cards" id="${id}"><caption>${caption}</caption><thead><tr>${heads.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

function cellHtml({ html, sort }: Cell, { label, kind }: Column, index: number): string {
  const key = sort === undefined ? '' : ` data-sort="${sort ?? ''}"`;
  if (index === 0) return `<th scope="row"${key}>${html}</th>`;
  const empty = html === '–' || html === '' ? ' empty' : '';
  const names = `${kind === 'bar' ? 'bar-cell' : kind}${empty}`;
  return `<td class="${names}" data-label="${label.replace(/<[^>]*>/g, ' ')}"${key}>${html}</td>`;
}

/**
 * A measured length beside the one that was required, both on the scale of the longer.
 *
 * @throws Never
 */
export function gapBar(measured: number, required: number): string {
  const most = Math.max(measured, required, 1);
  const width = (100 * Math.max(0, measured)) / most;
  const tick = Math.min(99, Math.max(1, (100 * required) / most));
  const isShort = measured < required;
  return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${isShort ? 'shorter than required' : 'not shorter than required'}"><rect class="track" width="100" height="10"/><rect class="${isShort ? 'short' : 'measured'}" width="${width.toFixed(1)}" height="10"/><line class="required" x1="${tick.toFixed(1)}" x2="${tick.toFixed(1)}" y1="0" y2="10" vector-effect="non-scaling-stroke"/></svg>`;
}

/** A share of a whole. @throws Never */
export function shareBar(part: number, most: number): string {
  const width = (100 * part) / Math.max(1, most);
  return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/><rect class="measured" width="${width.toFixed(1)}" height="10"/></svg>`;
}

// The header fields of the published files, as three kinds of static host read them: `_headers`, nginx and Caddy.

/** A path of the host, the file behind it, and the fields of its answer. */
export interface ServedFile {
  readonly path: string;
  readonly file: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The files by name. Values of fields hold quotation marks, and neither `'` nor a backquote. */
export function hostFiles(served: readonly ServedFile[]): ReadonlyMap<string, string> {
  const root = served.find(({ path }) => path === '/')?.file ?? '';
  return new Map([
    ['_headers', served.map(({ path, fields }) => `${path}\n${linesOf(fields, (n, v) => `  ${n}: ${v}`)}`).join('\n')],
    ['_redirects', `/ /${root} 200\n`],
    ['nginx.conf.part', served.map(nginxLocation).join('\n')],
    ['Caddyfile.part', `rewrite / /${root}\n${served.map(caddyHeaders).join('\n')}`],
  ]);
}

function nginxLocation({ path, file, fields: { 'Content-Type': type = '', ...fields } }: ServedFile): string {
  const added = linesOf(fields, (name, value) => `  add_header ${name} '${value}';`);
  return `location = ${path} {\n  types { }\n  default_type '${type}';\n${added}  try_files /${file} =404;\n}\n`;
}

/** By the path that is requested: Caddy sets fields before it rewrites. */
function caddyHeaders({ path, fields }: ServedFile): string {
  return `header ${path} {\n${linesOf(fields, (name, value) => `  ${name} \`${value}\``)}}\n`;
}

function linesOf(fields: Readonly<Record<string, string>>, line: (name: string, value: string) => string): string {
  return Object.entries(fields)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join('');
}

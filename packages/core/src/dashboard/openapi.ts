// The description of the HTTP API: OpenAPI 3.1 for programs, and a page without scripts for people. An operation is one
// value, which answers requests and produces the description.

import { MANNERLY_VERSION } from '../own-package.js';
import { present } from '../present.js';

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  /** `null` if longer than accepted. */
  body(): Promise<string | null>;
}

export interface ApiOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The name of a schema of the description, or a media type. */
  readonly responseSchema: string;
  /** The query parameter that it needs, and its meaning. */
  readonly query?: { readonly name: string; readonly description: string };
  /** The name of the schema of its body. */
  readonly requestSchema?: string;
  readonly answer: (call: ApiCall) => Promise<unknown> | unknown;
}

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const FLAG = { type: 'boolean' };
const COUNTED = ['pages', 'requests', 'hosts', 'queued', 'excluded', 'dropped', 'failed', 'items', 'bytes'];

/** Values that a client may rely on; there may be more fields. */
const SCHEMAS = {
  UrlsToAdd: {
    type: 'object',
    required: ['urls'],
    additionalProperties: false,
    properties: {
      urls: { type: 'array', items: TEXT, maxItems: 100_000, description: 'Absolute.' },
      label: { ...TEXT, description: 'The route that handles them.' },
      userData: { description: 'Any JSON; passed to their handler.' },
      priority: { ...COUNT, maximum: 7, default: 2, description: 'Class within the host, 0 first.' },
      depth: { ...COUNT, default: 0, description: 'Links from a seed.' },
      allowDuplicate: { ...FLAG, default: false, description: 'Queues a known URL for one more visit.' },
    },
  },
  AddedUrls: {
    type: 'object',
    required: ['urls'],
    properties: {
      urls: {
        type: 'array',
        description: 'What became of each, in order.',
        items: {
          type: 'object',
          required: ['url', 'kind', 'reason'],
          properties: {
            url: { ...TEXT, description: 'As it was given.' },
            kind: { enum: ['queued', 'known', 'refused'] },
            reason: { type: ['string', 'null'], description: 'Why it was refused: a word of the table of reasons.' },
          },
        },
      },
    },
  },
  Status: {
    type: 'object',
    required: ['phase', 'ended', 'nowMs', 'name', 'seedCount', 'bounds', 'underwayCount', 'progress'],
    properties: {
      phase: { enum: ['idle', 'opening', 'running', 'paused', 'stopping', 'over'] },
      ended: { enum: ['finished', 'bounded', 'stopped', 'waiting', 'failed', null] },
      nowMs: { type: 'number', description: 'Epoch milliseconds.' },
      name: TEXT,
      seedCount: COUNT,
      bounds: { type: 'object' },
      underwayCount: { ...COUNT, description: 'Requests under way.' },
      progress: {
        type: 'object',
        properties: Object.fromEntries(COUNTED.map((name) => [name, COUNT])),
      },
    },
  },
  Explanation: { type: 'object', description: 'As `mannerly explain --json` prints it.' },
  Report: { type: 'object', description: 'As `mannerly report --json` prints it.' },
  Problem: {
    type: 'object',
    required: ['status', 'detail'],
    properties: { status: COUNT, detail: TEXT, code: TEXT, hint: { type: ['string', 'null'] } },
  },
};

export function openApiDocument(operations: readonly ApiOperation[]): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mannerly: a running crawl',
      version: MANNERLY_VERSION,
      description: 'Every request needs `Authorization: Bearer <token>`; the crawl prints its token when it starts.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      operations.map((each) => [each.path, { [each.method.toLowerCase()]: describeOperation(each) }]),
    ),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: SCHEMAS,
      responses: {
        Problem: {
          description: 'It was not done; `detail` says why (RFC 9457).',
          content: { 'application/problem+json': { schema: schemaRef('Problem') } },
        },
      },
    },
  };
}

/** The page: its style is inline, and nothing is loaded. @throws Never */
export function openApiPage(operations: readonly ApiOperation[]): string {
  const rows = operations.map(({ method, path, query, requestSchema, responseSchema, summary }) => {
    const target = query === undefined ? path : `${path}?${query.name}=…`;
    const body = requestSchema === undefined ? '' : `, body ${requestSchema}`;
    return `<dt><code>${method} ${target}</code></dt><dd>${summary} Gives ${responseSchema}${body}.</dd>`;
  });
  const schemas = JSON.stringify(SCHEMAS, null, 2).replaceAll('<', '&lt;');
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>The crawl's HTTP API</title>
<h1>The HTTP API of this crawl</h1>
<p>Every request needs <code>Authorization: Bearer &lt;token&gt;</code>. An error is a Problem.
<code>/api/openapi.json</code> is the same for programs.</p>
<dl>${rows.join('\n')}</dl>
<h2>Values</h2>
<pre>${schemas}</pre>
</html>
`;
}

function describeOperation({ id, summary, query, requestSchema, responseSchema }: ApiOperation): object {
  const jsonContent = (schema: object) => ({ content: { 'application/json': { schema } } });
  return {
    operationId: id,
    summary,
    ...present({
      parameters: query && [{ ...query, in: 'query', required: true, schema: TEXT }],
      requestBody: requestSchema && { required: true, ...jsonContent(schemaRef(requestSchema)) },
    }),
    responses: {
      200: {
        description: 'It was done.',
        ...jsonContent(responseSchema.includes('/') ? { type: 'object' } : schemaRef(responseSchema)),
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function schemaRef(schema: string): object {
  return { $ref: `#/components/schemas/${schema}` };
}

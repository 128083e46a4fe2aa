// The HTTP API of a running crawl, for programs in any language: one table of operations, which answers requests and
// produces the OpenAPI description. The server handles access, sockets and the length of bodies.

import { type Crawler, MannerlyError } from 'mannerly';
import { readCrawlDirectory } from '../directory/crawl-directory.js';
import { isObject, parseJson } from '../parse-json.js';
import { reportFromLogs } from '../report/from-logs.js';
import type { AddOptions } from '../run/added-urls.js';
import { MAX_API_BODY_BYTES } from './limits.js';
import { type ApiCall, type ApiOperation, openApiDocument, openApiPage } from './openapi.js';

export type ApiCrawl = Pick<Crawler, 'activity' | 'add' | 'explain' | 'pause' | 'progress' | 'resume' | 'stop'>;

/** The actions of the live view and the API on the whole crawl, by name. */
export const ACTIONS: Readonly<
  Record<
    string,
    { readonly summary: string; act(crawl: Pick<ApiCrawl, 'activity' | 'pause' | 'resume' | 'stop'>): void }
  >
> = {
  pause: {
    summary: 'Takes no more work until `resume`. Requests in flight are completed.',
    act: (crawl) => crawl.pause(),
  },
  resume: { summary: 'Continues after `pause`.', act: (crawl) => crawl.resume() },
  stop: {
    summary: 'Ends the run: what is in flight gets ten seconds to finish. The same command continues the crawl later.',
    // A second stop would abort requests in flight; pressing a button twice does not mean that.
    act: (crawl) => (crawl.activity({ limit: 0 }).phase === 'stopping' ? undefined : crawl.stop()),
  },
};

/** Options of the HTTP API. */
export interface ApiOptions {
  /** The crawl directory, whose logs make the report. @default none: there is no report */
  readonly out?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly fields?: Readonly<Record<string, string>>;
}

class Problem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const API_PATH = '/api';

const BODY_FIELDS = ['urls', 'label', 'userData', 'priority', 'depth', 'allowDuplicate'];

/** Makes the API of a crawl. @param hasControls - Whether pause, resume and stop are offered. @throws Never */
export function createApi(crawl: ApiCrawl, { out }: ApiOptions, hasControls: boolean) {
  let pendingReport: Promise<unknown> | null = null;
  const readReport = async (directory: string): Promise<unknown> => {
    const { manifest, ...paths } = await readCrawlDirectory(directory);
    return { manifest, ...(await reportFromLogs(paths)) };
  };
  const status = (): unknown => {
    const { phase, ended, nowMs, name, seedCount, bounds, underwayCount } = crawl.activity({ limit: 0 });
    return { phase, ended, nowMs, name, seedCount, bounds, underwayCount, progress: crawl.progress() };
  };
  const operations: readonly ApiOperation[] = [
    {
      method: 'POST',
      path: `${API_PATH}/urls`,
      id: 'addUrls',
      summary: 'Adds URLs to the crawl. Scope, bounds, robots.txt and spacing apply as to any other.',
      requestSchema: 'UrlsToAdd',
      responseSchema: 'AddedUrls',
      async answer(call) {
        const { urls, ...options } = await readBody(call);
        return { urls: await crawl.add(urls, options) };
      },
    },
    {
      method: 'GET',
      path: `${API_PATH}/status`,
      id: 'getStatus',
      summary: 'What the crawl is doing, and its numbers over all runs.',
      responseSchema: 'Status',
      answer: status,
    },
    ...Object.entries(hasControls ? ACTIONS : {}).map(
      ([name, { summary, act }]): ApiOperation => ({
        method: 'POST',
        path: `${API_PATH}/${name}`,
        id: name,
        summary,
        responseSchema: 'Status',
        answer() {
          act(crawl);
          return status();
        },
      }),
    ),
    {
      method: 'GET',
      path: `${API_PATH}/explain`,
      id: 'explain',
      summary: 'Why a URL was, was not or is not yet fetched, or what a host waits for.',
      query: { name: 'of', description: 'A URL, or the name of a host.' },
      responseSchema: 'Explanation',
      async answer({ query }) {
        const of = query.get('of');
        if (of === null || of === '') throw new Problem(400, 'The query needs `of`: a URL, or the name of a host.');
        return crawl.explain(of);
      },
    },
    {
      method: 'GET',
      path: `${API_PATH}/report`,
      id: 'getReport',
      summary: 'The politeness report of the whole crawl, from its logs as far as they are written.',
      responseSchema: 'Report',
      async answer() {
        if (out === undefined) throw new Problem(404, 'The crawl has no directory, and so no logs to report from.');
        // Logs may be long: concurrent requests share one answer.
        pendingReport ??= readReport(out).finally(() => {
          pendingReport = null;
        });
        return pendingReport;
      },
    },
    {
      method: 'GET',
      path: `${API_PATH}/openapi.json`,
      id: 'getDescription',
      summary: 'This description, as OpenAPI 3.1.',
      responseSchema: 'application/json',
      answer: () => openApiDocument(operations),
    },
  ];

  return {
    async answer(call: ApiCall): Promise<ApiAnswer> {
      const { method, path } = call;
      if (method === 'GET' && path === API_PATH) {
        return { status: 200, type: 'text/html; charset=utf-8', body: openApiPage(operations) };
      }
      const operation = operations.find((operation) => operation.path === path);
      if (operation === undefined) return problem(404, `There is nothing here. ${API_PATH} lists what there is.`);
      if (operation.method !== method)
        return { ...problem(405, `This takes ${operation.method}.`), fields: { Allow: operation.method } };
      try {
        return { status: 200, type: 'application/json', body: JSON.stringify(await operation.answer(call)) };
      } catch (error) {
        return problemOf(error);
      }
    },
  };
}

async function readBody({ contentType, body }: ApiCall): Promise<AddOptions & { readonly urls: string[] }> {
  // A form of another site cannot send this type.
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? ''))
    throw new Problem(415, 'Send JSON, with Content-Type: application/json.');
  const text = await body();
  if (text === null)
    throw new Problem(413, `The body has more than ${MAX_API_BODY_BYTES} bytes. Send the URLs in several requests.`);
  const value = parseJson(text);
  if (value === undefined) throw new Problem(400, 'The body is not JSON.');
  if (!isObject(value) || !('urls' in value))
    throw new Problem(400, 'The body needs `urls`: { "urls": ["https://…"] }.');
  const unknown = Object.keys(value).find((name) => !BODY_FIELDS.includes(name));
  if (unknown !== undefined) {
    const known = BODY_FIELDS.join(', ');
    throw new MannerlyError('option-unknown', `the body has the unknown field \`${unknown}\`; known are ${known}`);
  }
  // `add` checks each of them.
  return value as unknown as AddOptions & { urls: string[] };
}

/** Mistakes of the caller are 400; what the crawl cannot do now is 409. */
function problemOf(error: unknown): ApiAnswer {
  if (error instanceof Problem) return problem(error.status, error.message);
  if (!(error instanceof MannerlyError)) return problem(500, 'This could not be read.');
  const { code, message, hint } = error;
  const isCallerError = /^(?:option|item)-/.test(code);
  const isStateConflict = code === 'not-running' || code.startsWith('directory-');
  return problem(isCallerError ? 400 : isStateConflict ? 409 : 500, message, { code, hint });
}

/** A problem in the form of RFC 9457. @throws Never */
export function problem(status: number, detail: string, more: object = {}): ApiAnswer {
  return { status, type: 'application/problem+json', body: JSON.stringify({ status, detail, ...more }) };
}

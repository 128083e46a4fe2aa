// A bucket of an S3-compatible object store, by a client that signs requests. One object or part is in memory at a
// time, and each request is sent until it is accepted.

import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { decodeXML } from 'entities';
import { sha256Of } from '../directory/atomic-file.js';
import { MAX_ANSWER_CHARS, MAX_LISTING_CHARS, MAX_OBJECT_CHARS, MAX_S3_PARTS, S3_PART_BYTES } from './limits.js';
import { type Answer, readAnswer, type SendLimits, sendWithRetries } from './send.js';

/** The sender of signed requests: an `AwsClient` of `aws4fetch`, or any other `fetch` that signs. */
export interface S3Client {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

type Fields = Readonly<Record<string, string>>;

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The key within the bucket; empty: the bucket itself. */
  readonly key: string;
  readonly query?: string;
  readonly body?: Uint8Array;
  readonly headers?: Fields;
  readonly maxChars?: number;
}

/** The metadata that identifies a file that is already there. */
const DIGEST_FIELD = 'x-amz-meta-sha256';

export type S3Bucket = ReturnType<typeof openBucket>;

/**
 * Objects of one bucket. Every method rejects with an Error that names the request and the store's code.
 * @param bucketUrl - The URL of the bucket, without a final slash.
 */
export function openBucket(client: S3Client, bucketUrl: string, limits: SendLimits, stop: AbortSignal) {
  const send = async (request: S3Request, acceptedStatuses: readonly number[] = []): Promise<Answer> => {
    const { method, key, query = '', body, headers = {}, maxChars = MAX_ANSWER_CHARS } = request;
    const path = key === '' ? '' : `/${key.split('/').map(encodeURIComponent).join('/')}`;
    const url = `${bucketUrl}${path}${query === '' ? '' : `?${query}`}`;
    const digest = body === undefined ? {} : { 'x-amz-content-sha256': hash('sha256', body) };
    const init = { method, headers: { ...headers, ...digest }, redirect: 'manual', ...(body && { body }) } as const;
    const what = `${method} ${bucketUrl}/${key}`;
    const attempt = async (signal: AbortSignal) => readAnswer(await client.fetch(url, { ...init, signal }), maxChars);
    const answer = await sendWithRetries(what, attempt, limits, stop);
    const { status, text } = answer;
    if ((status >= 200 && status <= 299) || acceptedStatuses.includes(status)) return answer;
    const code = elementOf(text, 'Code');
    throw new Error(`${what}: status ${status}${code === null ? '' : ` ${code}`}`);
  };

  const putParts = async (key: string, file: FileHandle, bytes: number, headers: Fields): Promise<void> => {
    const started = await send({ method: 'POST', key, query: 'uploads=', headers });
    const upload = `uploadId=${encodeURIComponent(decodeXML(elementOf(started.text, 'UploadId') ?? ''))}`;
    const partBytes = Math.max(S3_PART_BYTES, Math.ceil(bytes / MAX_S3_PARTS));
    try {
      const parts: string[] = [];
      for (let at = 0; at < bytes; at += partBytes) {
        const number = parts.length + 1;
        const body = await partOf(file, at, partBytes);
        const put = await send({ method: 'PUT', key, query: `partNumber=${number}&${upload}`, body });
        const tag = put.headers.get('etag') ?? '';
        parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`);
      }
      const list = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      const { text } = await send({ method: 'POST', key, query: upload, body: Buffer.from(list) });
      // It may fail after the header section of the answer was sent.
      if (text.includes('<Error>')) throw new Error(`POST ${bucketUrl}/${key}: ${elementOf(text, 'Code')}`);
    } catch (error) {
      // Parts of an incomplete upload cost money.
      await send({ method: 'DELETE', key, query: upload }, [404]).catch(() => undefined);
      throw error;
    }
  };

  return {
    async put(key: string, body: Uint8Array, headers: Fields): Promise<void> {
      await send({ method: 'PUT', key, body, headers });
    },

    async text(key: string): Promise<string> {
      return (await send({ method: 'GET', key, maxChars: MAX_OBJECT_CHARS })).text;
    },

    /** The keys that begin with a prefix, in their order. */
    async *keys(prefix: string): AsyncGenerator<string> {
      for (let from = ''; ; ) {
        const query = `list-type=2&prefix=${encodeURIComponent(prefix)}${from}`;
        const { text } = await send({ method: 'GET', key: '', query, maxChars: MAX_LISTING_CHARS });
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) yield decodeXML(key);
        const token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
        if (token === undefined) return;
        from = `&continuation-token=${encodeURIComponent(decodeXML(token))}`;
      }
    },

    /** Puts a file, unless the object already has its bytes; a large one in parts. */
    async putFile(key: string, path: string, bytes: number): Promise<void> {
      const digest = await sha256Of(path);
      const known = await send({ method: 'HEAD', key }, [404]);
      if (known.status !== 404 && known.headers.get(DIGEST_FIELD) === digest) return;
      const headers = { [DIGEST_FIELD]: digest, 'content-type': 'application/octet-stream' };
      const file = await open(path);
      try {
        if (bytes > S3_PART_BYTES) await putParts(key, file, bytes, headers);
        else await send({ method: 'PUT', key, body: await partOf(file, 0, S3_PART_BYTES), headers });
      } finally {
        await file.close();
      }
    },
  };
}

function elementOf(xml: string, element: string): string | null {
  return new RegExp(`<${element}>([^<]{1,2000})<`).exec(xml)?.[1] ?? null;
}

async function partOf(file: FileHandle, from: number, bytes: number): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await file.read(part, length, bytes - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return part.subarray(0, length);
}

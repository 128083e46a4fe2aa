// An S3 store on loopback for tests: the server `s3rver` behind a check of every signature and body by `aws4`, which
// shares no code with the client that signs. It can be made to fail.

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as aws4 from 'aws4';
import { AwsClient } from 'aws4fetch';
import S3rver from 's3rver';

/** The keys of s3rver. */
export const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;
const REGION = 'us-east-1';
const BUCKET = 'crawls';

/** A running server, and its requests. */
export interface S3ForTest {
  /** The URL of its bucket. */
  readonly bucket: string;
  /** Method and path below the bucket of each request, in order. */
  readonly requests: string[];
  /** The status of a failure, and whether the request takes effect all the same; `null`: no failure. */
  failureFor: (request: string) => { readonly status: number; readonly takesEffect: boolean } | null;
  /** A client with these keys. */
  client(secretAccessKey?: string): AwsClient;
  dispose(): Promise<void>;
}

export async function startS3(): Promise<S3ForTest> {
  const directory = await mkdtemp(join(tmpdir(), 'mannerly-s3-'));
  const configureBuckets = [{ name: BUCKET }];
  const store = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets });
  const { port } = await store.run();
  const requests: string[] = [];

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const requestLine = `${method} ${url.slice(BUCKET.length + 2)}`;
    requests.push(requestLine);
    if (!isSigned(request, body)) {
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    const failure = s3.failureFor(requestLine);
    if (failure?.takesEffect === false) {
      response.writeHead(failure.status).end();
      return;
    }
    const inner = send({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      if (failure === null) {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        return;
      }
      answer.resume().on('end', () => response.writeHead(failure.status).end());
    });
    inner.end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const s3: S3ForTest = {
    bucket: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${BUCKET}`,
    requests,
    failureFor: () => null,
    client: (secretAccessKey = KEYS.secretAccessKey) =>
      new AwsClient({ ...KEYS, secretAccessKey, region: REGION, service: 's3', retries: 0 }),
    async dispose() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return s3;
}

/** Whether the signature matches the request and our key, and the body matches its digest. */
function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const authorization = String(headers.authorization);
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const digest = String(headers['x-amz-content-sha256']);
  const isBody = body.length === 0 || digest === createHash('sha256').update(body).digest('hex');
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  // aws4 copies these two from the request.
  const { 'x-amz-date': date = '', 'x-amz-content-sha256': sha256 = '', ...others } = signed;
  const again = aws4.sign(
    {
      ...{ service: 's3', region: REGION, method, path: url },
      headers: { ...others, 'X-Amz-Date': date, 'X-Amz-Content-Sha256': sha256 },
    },
    KEYS,
  );
  const signatureOf = (text: string): string => /Signature=([0-9a-f]{64})/.exec(text)?.[1] ?? '';
  return (
    isBody &&
    signatureOf(authorization) !== '' &&
    signatureOf(authorization) === signatureOf(String(again.headers['Authorization']))
  );
}

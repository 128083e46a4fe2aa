// Types of libraries that have none, as far as tests use them.

declare module 's3rver' {
  // biome-ignore lint/style/noDefaultExport: it has no other.
  export default class S3rver {
    constructor(options: {
      readonly port: number;
      readonly address: string;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}

declare module 'aws4' {
  /** Signs a request by Signature Version 4: adds `Authorization` to its header fields. */
  export function sign(
    request: {
      readonly service: string;
      readonly region: string;
      readonly method: string;
      readonly path: string;
      readonly headers: Record<string, string>;
    },
    credentials: { readonly accessKeyId: string; readonly secretAccessKey: string },
  ): { readonly headers: Record<string, string> };
}

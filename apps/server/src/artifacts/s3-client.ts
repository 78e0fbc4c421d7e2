/**
 * Signed requests to a bucket with the S3 API. https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html
 */
import { signAwsRequest } from '@switchyard/relay/aws-signature';
import type { Context } from '../context.ts';
import type { StreamedResponse } from '../platform/outbound/outbound.ts';
import { abortWhenLate } from '../platform/timeouts-and-intervals.ts';
import type { ByteRange } from './artifact-store.ts';

const CALL_MS = 60_000;
const TEXT_MAX_CHARACTERS = 20_000;
const MESSAGE_MAX_CHARACTERS = 300;

interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Begins with a question mark, or is empty. */
  query?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  signal?: AbortSignal | undefined;
}

/** Rejection by a bucket, with its message. */
export class BucketError extends Error {}

export interface S3Client {
  /** @throws BucketError unless the request succeeded */
  call(id: string, request: Call): Promise<{ text: string; etag: string }>;
  /** Streams part of an object at the reader's speed. @throws BucketError if the object does not exist */
  openPart(id: string, range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

/** @param address prefix of the objects, with a slash at its end */
export function createS3Client(ctx: Context, address: string): S3Client {
  const open = (
    id: string,
    { method, query = '', headers = {}, body }: Call,
    signal: AbortSignal,
  ): Promise<StreamedResponse> => {
    const { settings, clock, outbound } = ctx;
    const url = address + id + query;
    const account = {
      accessKeyId: settings.resultBucketKeyId,
      secretAccessKey: settings.resultBucketSecret,
      sessionToken: '',
      region: settings.resultBucketRegion,
      service: 's3',
    };
    const signature = signAwsRequest({ method, url, body: body ?? Buffer.alloc(0) }, account, clock.now());
    return outbound.open({ method, url, headers: { ...headers, ...signature }, body, proxy: '', signal });
  };

  return {
    async call(id, request) {
      const deadline = AbortSignal.timeout(CALL_MS);
      const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
      const { status, headers, body } = await open(id, request, signal);
      const text = await readText(body);
      const isDone = (status >= 200 && status <= 299) || (request.method === 'DELETE' && status === 404);
      // The completion of a multipart upload can fail after a success status was sent.
      if (!isDone || (status === 200 && text.includes('<Error>'))) throw toBucketError(status, text);
      return { text, etag: typeof headers['etag'] === 'string' ? headers['etag'] : '' };
    },
    async openPart(id, { from, to }, signal) {
      const request = { method: 'GET', headers: { range: `bytes=${from}-${to}` } } as const;
      const late = new AbortController();
      const reason = new BucketError('The bucket does not respond');
      const answer = open(id, request, AbortSignal.any([signal, late.signal]));
      const call = { timers: ctx.clock, controller: late, afterMs: CALL_MS, reason };
      const { status, body } = await abortWhenLate(call, answer);
      if (status === 206) return body;
      throw toBucketError(status, await readText(body));
    },
  };
}

/** Reads a text up to a maximum length and discards the rest. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of body) if (text.length < TEXT_MAX_CHARACTERS) text += piece.toString('utf8');
  return text.slice(0, TEXT_MAX_CHARACTERS);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function toBucketError(status: number, text: string): BucketError {
  const readElement = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '';
  const words = [readElement('Code'), readElement('Message')].filter((word) => word !== '').join(': ');
  return new BucketError(
    `The bucket returned status ${status}${words === '' ? '' : ` – ${words.slice(0, MESSAGE_MAX_CHARACTERS)}`}`,
  );
}

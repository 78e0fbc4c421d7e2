/** Caches the bytes of public responses, and sends 304 to clients that have them. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface CachedBytes {
  plain: Buffer;
  /** Returns the compressed bytes, created on first use; undefined if compression saves nothing. */
  getCompressed(): Buffer | undefined;
  etag: string;
}

/** A smaller response fits into one packet anyway. */
const COMPRESS_MIN_BYTES = 1_400;

/** Returns a function that encodes a value only when it changes. */
export function cacheBytes<T>(encode: (value: T) => string): (value: T) => CachedBytes {
  let cached: { value: T; bytes: CachedBytes } | undefined;
  return (value) => {
    if (cached === undefined || cached.value !== value) cached = { value, bytes: encodeBytes(encode(value)) };
    return cached.bytes;
  };
}

function encodeBytes(text: string): CachedBytes {
  const plain = Buffer.from(text);
  let zipped: Buffer | undefined;
  return {
    plain,
    getCompressed: () => {
      if (plain.length < COMPRESS_MIN_BYTES) return undefined;
      zipped ??= gzipSync(plain);
      return zipped;
    },
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 27),
  };
}

/** Sends the bytes, or 304. RFC 9110, 8.8.3 and 13.1.2: one weak tag stands for both encodings. */
export function sendCachedBytes(request: FastifyRequest, reply: FastifyReply, bytes: CachedBytes): FastifyReply {
  const accepts = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(request.headers['accept-encoding'] ?? '');
  const { etag } = bytes;
  const zipped = accepts ? bytes.getCompressed() : undefined;
  reply
    .type('application/json; charset=utf-8')
    // The browser revalidates each time, and gets 304 without a change.
    .header('cache-control', 'private, no-cache')
    .header('vary', 'accept-encoding, cookie, authorization')
    .header('etag', `W/"${etag}"`);
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send();
  if (zipped === undefined) return reply.send(bytes.plain);
  return reply.header('content-encoding', 'gzip').send(zipped);
}

function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`) === true;
}

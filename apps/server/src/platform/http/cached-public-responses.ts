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

/**
 * Returns a function that encodes an object once, for as long as the object is referenced elsewhere. Callers with
 * different rights get different objects, which must not evict each other. For strings, only the last one is cached.
 */
export function cacheBytes<T>(encode: (value: T) => string): (value: T) => CachedBytes {
  const ofObjects = new WeakMap<object, CachedBytes>();
  let last: { value: T; bytes: CachedBytes } | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) {
      if (last === undefined || last.value !== value) last = { value, bytes: encodeBytes(encode(value)) };
      return last.bytes;
    }
    const known = ofObjects.get(value);
    if (known !== undefined) return known;
    const bytes = encodeBytes(encode(value));
    ofObjects.set(value, bytes);
    return bytes;
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

/** Schemas for the values of settings. */
import { z } from 'zod';

export const flag = z.boolean();
export const wholeNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
export const concurrency = z.int().min(0).max(100_000);
export const link = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]);
export const text = z.string().max(100_000);
/** One line: mail headers and HTTP requests are written with them. */
export const line = z
  .string()
  .max(1024)
  .regex(/^\P{Cc}*$/u);
export const id = z.string().trim().pipe(line);
/** Claims or scopes, separated by commas or blanks. */
export const words = id.pipe(z.string().min(1));

const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/);

/** The public API has them as text with commas. */
export const domains = z.codec(z.string().max(20_000), z.array(domain).max(500), {
  decode: (text) => text.split(',').filter((part) => part.trim() !== ''),
  encode: (list) => list.join(','),
});

export const mailServer = z.union([z.literal(''), z.hostname()]);

/** `a@b.example` or `Name <a@b.example>`. */
export const mailSender = line.refine((text) => {
  const [, address = text] = /^[^<>]*<([^<>]*)>$/.exec(text) ?? [];
  return text === '' || z.email().safeParse(address).success;
}, 'must be an email address');

/** Its answers decide who signs in, or what users pay, so that only this machine may be asked without TLS. */
export const trustedAddress = z.union([
  z.literal(''),
  z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1)$/ }),
  z.url({ protocol: /^https$/ }),
]);

export const DISCOUNTS_MAX = 50;

/** The amount in USD as text → the factor that its price is multiplied by. */
export const discounts = z
  .record(z.string().regex(/^[1-9]\d{0,6}$/), z.number().gt(0).max(1))
  .refine((map) => Object.keys(map).length <= DISCOUNTS_MAX, 'has too many amounts');

const scriptProtocols = new Set(['javascript:', 'data:', 'vbscript:']);

/** Chat programs have schemes of their own, so any is allowed but those that run as a script. */
export const chatAddress = z
  .string()
  .max(1024)
  .refine((text) => !URL.canParse(text) || !scriptProtocols.has(new URL(text).protocol), 'must not be a script');

export const chatLinks = z
  .array(
    z.object({
      name: z.string().min(1).max(64),
      url: chatAddress.min(1),
      show: z.boolean(),
      sort: z.int(),
    }),
  )
  .max(50);

/** Channels that scheduled tests cover; `tag`: enabled ones with the tag that is set beside it. */
export const testedChannels = z.enum(['enabled', 'auto-disabled', 'tag']);

/**
 * `link`: the vendor's address where it needs no credentials; `proxied`: through here; `folder`: kept beside the database;
 * `s3`: kept in a bucket.
 */
export const resultStorage = z.enum(['link', 'proxied', 'folder', 's3']);

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export const bucketName = z.union([z.literal(''), z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)]);
/** Folders of a bucket, each with a slash at its end, of signs that addresses do not change. */
export const bucketPrefix = z.string().regex(/^(?:[\w-][\w.-]{0,63}\/){0,8}$/);

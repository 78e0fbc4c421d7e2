/** Schemas for the values of settings. */
import { z } from 'zod';

export const flag = z.boolean();
export const wholeNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
export const concurrency = z.int().min(0).max(100_000);
export const link = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]);
export const text = z.string().max(100_000);
/** Single line, because mail headers and HTTP requests contain it. */
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

/** The public API has domains as text with commas. */
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

/**
 * Address that must use TLS unless it is on this machine, because its responses decide who signs in or what users
 * pay.
 */
export const trustedAddress = z.union([
  z.literal(''),
  z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1)$/ }),
  z.url({ protocol: /^https$/ }),
]);

export const DISCOUNTS_MAX = 50;

/** Amount in USD as text → factor of its price. */
export const discounts = z
  .record(z.string().regex(/^[1-9]\d{0,6}$/), z.number().gt(0).max(1))
  .refine((map) => Object.keys(map).length <= DISCOUNTS_MAX, 'has too many amounts');

const scriptProtocols = new Set(['javascript:', 'data:', 'vbscript:']);

/** Address in any scheme, as chat programs have their own, except the schemes that run as a script. */
export const chatAddress = z
  .string()
  .max(1024)
  .refine((text) => !URL.canParse(text) || !scriptProtocols.has(new URL(text).protocol), 'must not be a script');

export const chatLinks = z
  .array(z.object({ name: z.string().min(1).max(64), url: chatAddress.min(1), show: z.boolean(), sort: z.int() }))
  .max(50);

/** Channels that scheduled tests cover; `tag`: enabled ones with the configured tag. */
export const testedChannels = z.enum(['enabled', 'auto-disabled', 'tag']);

/**
 * Source of artifacts. `link`: the vendor's URL if it needs no credentials; `proxied`: through the gateway; `folder`:
 * stored beside the database; `s3`: stored in a bucket.
 */
export const resultStorage = z.enum(['link', 'proxied', 'folder', 's3']);

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export const bucketName = z.union([z.literal(''), z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)]);
/** Folders of a bucket, each with a slash at its end, in characters that URLs need not escape. */
export const bucketPrefix = z.string().regex(/^(?:[\w-][\w.-]{0,63}\/){0,8}$/);

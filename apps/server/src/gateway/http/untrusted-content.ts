/**
 * Headers of files that a vendor or a user determines. A browser that opens one must not execute it, call other hosts
 * for it or send them the address. It may show images, videos and audio, for which browsers build a page with inline
 * styles.
 */
export const untrustedContentHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
} as const;

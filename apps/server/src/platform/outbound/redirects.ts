/** Maximum redirects that are followed for one request. */
export const REDIRECTS_MAX = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/** Returns the address to which a response redirects, if it is an HTTP address. */
export function resolveRedirect(status: number, location: unknown, from: string): string | undefined {
  if (!isRedirect(status) || typeof location !== 'string') return undefined;
  const next = URL.parse(location, from);
  return next !== null && /^https?:$/.test(next.protocol) ? next.href : undefined;
}

/** How often an answer may send whoever asks on to another address. */
export const REDIRECTS_MAX = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/** Where an answer sends on to, as far as that speaks HTTP. */
export function sentOnTo(status: number, location: unknown, from: string): string | undefined {
  if (!isRedirect(status) || typeof location !== 'string') return undefined;
  const next = URL.parse(location, from);
  return next !== null && /^https?:$/.test(next.protocol) ? next.href : undefined;
}

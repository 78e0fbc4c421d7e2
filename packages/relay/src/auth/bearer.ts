import type { Target } from '../model/provider.ts';

/** The key as a bearer token; no header where there is no key. */
export function bearerHeader({ credentials }: Target): Record<string, string> {
  const key = credentials['key'];
  return key ? { authorization: `Bearer ${key}` } : {};
}

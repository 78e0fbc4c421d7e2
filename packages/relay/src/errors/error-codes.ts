import type { Provider } from '../model/provider.ts';
import { readErrorFacts } from './read-error.ts';
import type { UpstreamErrorKind } from './upstream-error.ts';

/** Returns an error reader for vendors whose codes are more precise than the HTTP status. */
export function createErrorCodeReader(
  kinds: Readonly<Record<string, UpstreamErrorKind>>,
): NonNullable<Provider['readError']> {
  return (_status, body) => {
    const { code } = readErrorFacts(body);
    return code !== undefined && Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  };
}

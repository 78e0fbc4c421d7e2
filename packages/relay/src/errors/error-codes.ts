import type { Provider } from '../model/provider.ts';
import { errorFacts } from './read-error.ts';
import type { UpstreamErrorKind } from './upstream-error.ts';

/** For vendors whose codes say more than the status that they come with. */
export function errorCodes(
  kinds: Readonly<Record<string, UpstreamErrorKind>>,
): NonNullable<Provider['readError']> {
  return (_status, body) => {
    const { code } = errorFacts(body);
    return code !== undefined && Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  };
}

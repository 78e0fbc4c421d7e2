/** Sign-in for upstreams without a common convention: the operator chooses where the key is sent. */

import type { Provider, ProviderField } from '../model/provider.ts';
import { bearerHeader } from './bearer.ts';

const headers = ['x-api-key', 'api-key'];
const inQuery = ['?key', '?api_key', '?access_token'];

/** @param choices where a key may stand, the usual place first */
export function createAuthOption(
  choices: readonly string[] = ['bearer', ...headers, ...inQuery],
): ProviderField {
  return { name: 'auth', required: false, choices };
}

export const customSignIn: Required<Pick<Provider, 'authorize' | 'query'>> = {
  authorize(target) {
    const { key } = target.credentials;
    const { auth = '' } = target.options;
    if (inQuery.includes(auth)) return {};
    return headers.includes(auth) && key ? { [auth]: key } : bearerHeader(target);
  },
  query({ credentials: { key }, options: { auth = '' } }): Record<string, string> {
    return inQuery.includes(auth) && key ? { [auth.slice(1)]: key } : {};
  },
};

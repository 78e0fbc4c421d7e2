import { setUp } from '@switchyard/contract/accounts/set-up';
import { createClient } from '@switchyard/contract/client';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(setUp, send);

export const createRootAccount = api.createRoot;

/**
 * Query that checks the set-up code of the link; the query key omits the code, because keys can be stored.
 */
export function codeCheckQuery(code: string) {
  return queryOptions({
    queryKey: ['set-up', 'check'],
    queryFn: ({ signal }) => api.check({ body: { code } }, signal),
    enabled: code !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

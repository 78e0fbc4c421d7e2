import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { createClient } from '@switchyard/contract/client';
import type { AccessTokenId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-changes.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(accessTokens, send);
const all = ['access-tokens'] as const;

export type NewAccessToken = RouteCall<typeof accessTokens.create>['body'];

export const accessTokensQuery = queryOptions({
  queryKey: all,
  queryFn: ({ signal }) => api.list({}, signal),
});

/** Creates an access token. The response is not cached, because the token is shown only once. */
export const useCreateAccessToken = () =>
  useListChange(all, (body: NewAccessToken) => withStepUp(() => api.create({ body })));

export const useRemoveAccessToken = () => useListChange(all, (id: AccessTokenId) => api.remove({ params: { id } }));

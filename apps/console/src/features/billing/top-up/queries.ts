import { invitations } from '@switchyard/contract/accounts/invitations';
import { orders } from '@switchyard/contract/billing/orders';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { createClient, routeUrl } from '@switchyard/contract/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { send } from '../../../api.ts';
import { queryKeepingPrevious } from '../../../list-queries.ts';
import { paths } from '../../../paths.ts';
import { currentUserQuery } from '../../accounts/session/queries.ts';
import { signUpClient } from '../../accounts/sign-up/queries.ts';
import { useServerAddress } from '../../site/site/queries.ts';

const invitationApi = createClient(invitations, send);
const codeApi = createClient(redemptionCodes, send);

/** Returns the URL at which the browser downloads the receipt of a paid order of the user. */
export const receiptUrl = (tradeNo: string) => routeUrl(orders.receipt, { params: { trade_no: tradeNo } });

/** Returns a function that refetches the balance after it changed. */
export function useBalanceChanged(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(() => client.invalidateQueries({ queryKey: currentUserQuery.queryKey }), [client]);
}

/** Redeems a code and returns its value in points. */
export function useRedeem() {
  const balanceChanged = useBalanceChanged();
  return useMutation({ mutationFn: (key: string) => codeApi.redeem({ body: { key } }), onSuccess: balanceChanged });
}

const inviteCodeQuery = queryOptions({
  queryKey: ['invitations', 'code'],
  queryFn: async ({ signal }) => (await signUpClient()).inviteCode({}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Returns the link by which invited people register. */
export function useInviteLink() {
  const origin = useServerAddress();
  return useQuery({
    ...inviteCodeQuery,
    select: (code) => `${origin}${paths.register}?${new URLSearchParams({ aff: code }).toString()}`,
  });
}

export const invitationTermsQuery = queryOptions({
  queryKey: ['invitations', 'terms'],
  queryFn: ({ signal }) => invitationApi.terms({}, signal),
});

export const invitationListQuery = (page: number, size: number) =>
  queryKeepingPrevious(['invitations', 'list', page], (signal) =>
    invitationApi.list({ query: { page, size } }, signal),
  );

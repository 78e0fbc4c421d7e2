import { type SecondFactorState, secondFactor } from '@switchyard/contract/accounts/second-factor';
import { createClient } from '@switchyard/contract/client';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { useStoreCurrentUser } from '../session/queries.ts';

const api = createClient(secondFactor, send);
const all = ['second-factor'] as const;

export const secondFactorQuery = queryOptions({ queryKey: all, queryFn: ({ signal }) => api.state({}, signal) });

/** Returns whether the role requires a second factor, now or soon, and the account has none. */
export function lacksSecondFactor(state: SecondFactorState): state is SecondFactorState & { needed_from: number } {
  return state.needed_from !== null && !state.totp && state.passkeys === 0;
}

/** No query is invalidated, because this changes nothing yet. */
export const useBeginTotp = () => useMutation({ mutationFn: () => withStepUp(() => api.beginTotp()) });

/**
 * Enables the authenticator app. The response is not cached, because the recovery codes are shown only once.
 */
export const useFinishTotp = () => useListChange(all, (code: string) => api.finishTotp({ body: { code } }));

export const useRemoveTotp = () => useListChange(all, () => withStepUp(() => api.removeTotp()));

export const useCreateRecoveryCodes = () => useListChange(all, () => withStepUp(() => api.makeRecoveryCodes()));

/** Query for the methods that can finish this browser's pending sign-in; all false when none is pending. */
export const pendingSignInQuery = queryOptions({
  queryKey: ['waiting-sign-in'],
  queryFn: ({ signal }) => api.waiting({}, signal),
  staleTime: 0,
  gcTime: 0,
});

/** Finishes this browser's pending sign-in. */
export function useFinishSignIn() {
  return useMutation({
    mutationFn: (code: string) => api.signIn({ body: { code } }),
    onSuccess: useStoreCurrentUser(),
  });
}

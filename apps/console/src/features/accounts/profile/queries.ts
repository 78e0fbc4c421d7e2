import type { Language } from '@switchyard/contract/accounts/account-fields';
import { profile, type Self } from '@switchyard/contract/accounts/profile';
import { createClient, routeUrl } from '@switchyard/contract/client';
import type { RouteCall, RouteResponse } from '@switchyard/contract/route';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';
import { currentUserQuery, useEndSessionAndLeave, useStoreCurrentUser } from '../session/queries.ts';
import { signUpClient } from '../sign-up/queries.ts';

const api = createClient(profile, send);

export type OwnSession = RouteResponse<typeof profile.listSessions>[number];
export type ProfileUpdate = RouteCall<typeof profile.update>['body'];
export type NewEmail = RouteCall<typeof profile.bindEmail>['query'];

/** URL at which the browser downloads the account's stored data. */
export const exportUrl = routeUrl(profile.export, {});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.listSessions({}, signal),
});

/** Updates names, preferences or the password. A new password ends the other sessions. */
export function useUpdateProfile() {
  const client = useQueryClient();
  const keep = useStoreCurrentUser();
  return useMutation({
    mutationFn: (body: ProfileUpdate) => withStepUp(() => api.update({ body })),
    onSuccess: async (self) => {
      keep(self);
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
}

/** Sets the avatar to a PNG in base64; an empty text removes it. */
export function useSetAvatar() {
  return useMutation({
    mutationFn: (image: string): Promise<Self> => api.setAvatar({ body: { image } }),
    onSuccess: useStoreCurrentUser(),
  });
}

/** Mails a code that verifies the address. */
export async function sendEmailCode(email: string, language: Language): Promise<void> {
  await (await signUpClient()).sendCode({ query: { email, language } });
}

export function useBindEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (query: NewEmail) => withStepUp(() => api.bindEmail({ query })),
    onSuccess: () => client.invalidateQueries({ queryKey: currentUserQuery.queryKey }),
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.endSession({ params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/**
 * Ends all sessions, including this one.
 * @param leave navigates to a public page
 */
export function useEndAllSessions() {
  const leaveAfter = useEndSessionAndLeave();
  return (leave: () => Promise<void>) => leaveAfter(() => api.endSessions(), leave);
}

/**
 * Deletes the user's own account.
 * @param leave navigates to a public page
 */
export function useDeleteAccount() {
  const leaveAfter = useEndSessionAndLeave();
  return (leave: () => Promise<void>) => leaveAfter(() => withStepUp(() => api.remove()), leave);
}

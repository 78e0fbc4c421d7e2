import type { Self, StepUpProof } from '@switchyard/contract/accounts/profile';
import type { Credentials } from '@switchyard/contract/accounts/sign-in';
import { ApiError, unwrapEnvelope } from '@switchyard/contract/http-exchange';
import type { Access } from '@switchyard/contract/route';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mayAccess } from '../../../access.ts';
import { send } from '../../../api.ts';
import { createBooleanStore } from '../../../ui/actions/boolean-store.ts';
import { hasUnsavedInput } from '../../../ui/overlays/unsaved-input.ts';

const load = () => import('./session-client.ts');

/** Switch that is on while the session has ended and unsaved input waits for the next sign-in. */
const { isOn: waitsForSignIn, turn: waitForSignIn, useIsOn } = createBooleanStore();
export const useWaitsForSignIn = useIsOn;

/** Query for the signed-in user; null when signed out. The session is a cookie that scripts cannot read. */
export const currentUserQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal, client, queryKey }): Promise<Self | null> => {
    const self = await readSelf(signal);
    return self === null && waitsForSignIn() ? (client.getQueryData<Self>(queryKey) ?? null) : self;
  },
  staleTime: 30_000,
});

async function readSelf(signal?: AbortSignal): Promise<Self | null> {
  try {
    const data = unwrapEnvelope(await send({ method: 'GET', path: '/api/user/self', signal }));
    return (await load()).parseSelf(data);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-signed-in') return null;
    throw error;
  }
}

export function useCurrentUser(): Self | null {
  return useQuery(currentUserQuery).data ?? null;
}

export function useHasAccess(access: Access): boolean {
  return mayAccess(useCurrentUser(), access);
}

/** Removes everything that was cached for the former user. */
export function clearSession(client: QueryClient): void {
  client.setQueryData(currentUserQuery.queryKey, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'self' && queryKey[0] !== 'site' });
}

/**
 * Keeps unsaved input for the next sign-in if a user was signed in.
 * @returns whether there is input to keep
 */
export function keepUnsavedInput(client: QueryClient): boolean {
  if (!hasUnsavedInput() || !client.getQueryData(currentUserQuery.queryKey)) return false;
  waitForSignIn(true);
  return true;
}

/**
 * Continues after a sign-in in another tab; a different user starts with an empty cache.
 * @returns false while nobody is signed in
 */
export async function resumeSession(client: QueryClient): Promise<boolean> {
  const self = await readSelf();
  if (self === null) return false;
  if (client.getQueryData(currentUserQuery.queryKey)?.id !== self.id) leaveEndedSession(client);
  else waitForSignIn(false);
  client.setQueryData(currentUserQuery.queryKey, self);
  void client.invalidateQueries();
  return true;
}

export function leaveEndedSession(client: QueryClient): void {
  waitForSignIn(false);
  clearSession(client);
}

export function useStoreCurrentUser(): (self: Self) => void {
  const client = useQueryClient();
  return (self) => client.setQueryData(currentUserQuery.queryKey, self);
}

export function useSignIn() {
  return useMutation({
    mutationFn: async (body: Credentials) => (await load()).sessionClient.signIn({ body }),
    onSuccess: useStoreCurrentUser(),
  });
}

/**
 * Ends the session, leaves the panel and clears the cache, which earlier would redirect to the sign-in page.
 */
export function useEndSessionAndLeave() {
  const client = useQueryClient();
  return async (end: () => Promise<unknown>, leave: () => Promise<void>) => {
    await end();
    await leave();
    clearSession(client);
  };
}

export function useSignOut() {
  const leaveAfter = useEndSessionAndLeave();
  return (leave: () => Promise<void>) => leaveAfter(async () => (await load()).sessionClient.signOut(), leave);
}

/** Query for the user's confirmation methods; never cached, since a factor may just have been added. */
export const confirmationMethodsQuery = queryOptions({
  queryKey: ['confirmation-ways'],
  queryFn: async ({ signal }) => (await load()).sessionClient.stepUpWays({}, signal),
  staleTime: 0,
  gcTime: 0,
});

/** Confirms the user's identity, which unlocks sensitive calls of this session for some minutes. */
export async function confirmIdentity(body: StepUpProof): Promise<null> {
  return (await load()).sessionClient.stepUp({ body });
}

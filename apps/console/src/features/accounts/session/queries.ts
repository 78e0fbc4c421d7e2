import type { Proof, Self } from '@switchyard/contract/accounts/profile';
import type { Credentials } from '@switchyard/contract/accounts/sign-in';
import { ApiError, dataOf } from '@switchyard/contract/billing/exchange';
import type { Access } from '@switchyard/contract/route';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mayAccess } from '../../../access.ts';
import { send } from '../../../api.ts';
import { holdsUnsaved } from '../../../ui/overlays/unsaved.ts';
import { waitForSignIn, waitsForSignIn } from './session-end.ts';

const load = () => import('./session-client.ts');

/** Query for the signed-in user; null when signed out. The session itself is a cookie that scripts cannot read. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal, client, queryKey }): Promise<Self | null> => {
    const self = await readSelf(signal);
    return self === null && waitsForSignIn() ? (client.getQueryData<Self>(queryKey) ?? null) : self;
  },
  staleTime: 30_000,
});

async function readSelf(signal?: AbortSignal): Promise<Self | null> {
  try {
    const data = dataOf(await send({ method: 'GET', path: '/api/user/self', signal }));
    return (await load()).parseSelf(data);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-signed-in') return null;
    throw error;
  }
}

export function useSelf(): Self | null {
  return useQuery(selfQuery).data ?? null;
}

/** Returns whether the signed-in user has the given access. */
export function useMay(access: Access): boolean {
  return mayAccess(useSelf(), access);
}

/** Forgets everything that was read for the former user. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(selfQuery.queryKey, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'self' && queryKey[0] !== 'site' });
}

/** Keeps unsaved input for the next sign-in if a user was signed in. @returns whether there is input to keep */
export function keepForSignIn(client: QueryClient): boolean {
  if (!holdsUnsaved() || !client.getQueryData(selfQuery.queryKey)) return false;
  waitForSignIn(true);
  return true;
}

/** Goes on after the same user signed in elsewhere; somebody else begins anew. @returns false while nobody has */
export async function resumeSession(client: QueryClient): Promise<boolean> {
  const self = await readSelf();
  if (self === null) return false;
  if (client.getQueryData(selfQuery.queryKey)?.id !== self.id) leaveEndedSession(client);
  else waitForSignIn(false);
  client.setQueryData(selfQuery.queryKey, self);
  void client.invalidateQueries();
  return true;
}

export function leaveEndedSession(client: QueryClient): void {
  waitForSignIn(false);
  forgetSession(client);
}

/** Keeps who has just signed in, by whichever way. */
export function useSignedIn(): (self: Self) => void {
  const client = useQueryClient();
  return (self) => client.setQueryData(selfQuery.queryKey, self);
}

export function useSignIn() {
  return useMutation({
    mutationFn: async (body: Credentials) => (await load()).sessionClient.signIn({ body }),
    onSuccess: useSignedIn(),
  });
}

/**
 * Ends the session by a call, leaves the panel, and only then forgets who it was, so that the panel does not ask to
 * sign in.
 */
export function useLeave() {
  const client = useQueryClient();
  return async (end: () => Promise<unknown>, leave: () => Promise<void>) => {
    await end();
    await leave();
    forgetSession(client);
  };
}

export function useSignOut() {
  const leaveAfter = useLeave();
  return (leave: () => Promise<void>) =>
    leaveAfter(async () => (await load()).sessionClient.signOut(), leave);
}

/** Query for the proofs that can confirm this session; never cached, since a factor may just have been added. */
export const confirmationWaysQuery = queryOptions({
  queryKey: ['confirmation-ways'],
  queryFn: async ({ signal }) => (await load()).sessionClient.stepUpWays({}, signal),
  staleTime: 0,
  gcTime: 0,
});

/** Proves who is there; unlocks sensitive calls of this session for some minutes. */
export async function confirmIdentity(body: Proof): Promise<null> {
  return (await load()).sessionClient.stepUp({ body });
}

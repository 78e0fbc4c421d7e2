import { ApiError, dataOf } from '@switchyard/contract/exchange';
import type { Self } from '@switchyard/contract/profile';
import type { Access } from '@switchyard/contract/route';
import type { Credentials } from '@switchyard/contract/sign-in';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { mayAccess } from '../../access.ts';
import { send } from '../../api.ts';

const load = () => import('./session-client.ts');

/** Who is signed in; null is nobody. The session itself is a cookie that scripts cannot read. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal }): Promise<Self | null> => {
    try {
      const data = dataOf(await send({ method: 'GET', path: '/api/user/self', signal }));
      return (await load()).parseSelf(data);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not-signed-in') return null;
      throw error;
    }
  },
  staleTime: 30_000,
});

export function useSelf(): Self | null {
  return useQuery(selfQuery).data ?? null;
}

/** Whether the signed-in user may do what needs this access. */
export function useMay(access: Access): boolean {
  return mayAccess(useSelf(), access);
}

/** Forgets everything that was read for the former user. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(selfQuery.queryKey, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'self' && queryKey[0] !== 'site' });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Credentials) => (await load()).sessionClient.signIn({ body }),
    onSuccess: (self) => client.setQueryData(selfQuery.queryKey, self),
  });
}

/** Ends the session, leaves the panel, and only then forgets who it was, so that the panel does not ask to sign in. */
export function useSignOut() {
  const client = useQueryClient();
  return async (leave: () => Promise<void>) => {
    await (await load()).sessionClient.signOut();
    await leave();
    forgetSession(client);
  };
}

/** Confirms the password; unlocks sensitive calls of this session for some minutes. */
export async function confirmPassword(password: string): Promise<null> {
  return (await load()).sessionClient.stepUp({ body: { password } });
}

import { createClient } from '@switchyard/contract/client';
import type { UserStatus } from '@switchyard/contract/codes';
import type { UserId } from '@switchyard/contract/ids';
import type { Page, RouteCall } from '@switchyard/contract/route';
import { type User, users } from '@switchyard/contract/users';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api.ts';
import { paths } from '../../paths.ts';
import type { PaletteSource } from '../../ui/palette-result.ts';

const api = createClient(users, send);
const all = ['users'] as const;

export type UserListQuery = NonNullable<RouteCall<typeof users.list>['query']>;
export type CreateUser = RouteCall<typeof users.create>['body'];
export type UpdateUser = RouteCall<typeof users.update>['body'];
type QuotaChange = RouteCall<typeof users.changeQuota>['body'] & { id: UserId; changeId: string };

export const listUsers = (query: UserListQuery, signal?: AbortSignal) => api.list({ query }, signal);

export function userListQuery(query: UserListQuery) {
  return queryOptions({
    queryKey: [...all, 'list', query],
    queryFn: ({ signal }) => listUsers(query, signal),
    placeholderData: keepPreviousData,
  });
}

export function userQuery(id: UserId) {
  return queryOptions({
    queryKey: [...all, 'one', id],
    queryFn: ({ signal }) => api.get({ params: { id } }, signal),
  });
}

function useUserMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

export const useCreateUser = () => useUserMutation((body: CreateUser) => api.create({ body }));
export const useUpdateUser = () => useUserMutation((body: UpdateUser) => api.update({ body }));
export const useRemoveUser = () => useUserMutation((id: UserId) => api.remove({ params: { id } }));
export const useAcknowledgeAlarms = () =>
  useUserMutation((id: UserId) => api.acknowledgeAlarms({ params: { id } }));
export const useChangeQuota = () =>
  useUserMutation(({ id, changeId, ...body }: QuotaChange) =>
    api.changeQuota({ params: { id }, body, idempotencyKey: changeId }),
  );

/** Shows the new status at once; the lists are read again when the server has answered. */
export function useSetUserStatus() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: { id: UserId; status: UserStatus }) => api.update({ body: change }),
    onMutate: ({ id, status }) => {
      const change = (user: User) => (user.id === id ? { ...user, status } : user);
      client.setQueriesData<Page<User>>({ queryKey: [...all, 'list'] }, (page) =>
        page === undefined ? page : { ...page, data: page.data.map(change) },
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

export const userPaletteSource: PaletteSource = {
  heading: 'users',
  access: 'admin',
  find: async (text, signal) => {
    const { data } = await listUsers({ keyword: text, size: 5 }, signal);
    return data.map((user) => ({
      id: `user-${user.id}`,
      title: user.username,
      detail: user.email === '' ? user.display_name : user.email,
      to: paths.users,
      search: { open: String(user.id) },
    }));
  },
};

import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { type User, type UserEdit, users } from '@switchyard/contract/accounts/users';
import { createClient, routeUrl } from '@switchyard/contract/client';
import type { UserId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import type { UserStatus } from '@switchyard/contract/wire-enums';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../../list-queries.ts';
import { userPath } from '../../../paths.ts';
import type { PaletteSource } from '../../../ui/overlays/command-palette-result.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(users, send);
const factors = createClient(secondFactor, send);
const all = ['users'] as const;

export type UserListQuery = NonNullable<RouteCall<typeof users.list>['query']>;
export type UserFilter = NonNullable<RouteCall<typeof users.export>['query']>;
export type CreateUser = RouteCall<typeof users.create>['body'];
export type UpdateUser = RouteCall<typeof users.update>['body'];
type QuotaChanges = RouteCall<typeof users.changeQuotas>['body'] & { changeId: string };
type QuotaChange = RouteCall<typeof users.changeQuota>['body'] & { id: UserId; changeId: string };

const listUsers = (query: UserListQuery, signal?: AbortSignal) => api.list({ query }, signal);

/**
 * @param key identifies the filter by its texts; resolved relative times would change the key every second
 */
export const userListQuery = (key: unknown, query: () => UserListQuery) =>
  queryKeepingPrevious([...all, 'list', key], (signal) => listUsers(query(), signal));

export const userQuery = (id: UserId) =>
  queryOptions({ queryKey: [...all, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

export const useCreateUser = () => useListChange(all, (body: CreateUser) => withStepUp(() => api.create({ body })));
export const useUpdateUser = () => useListChange(all, (body: UpdateUser) => withStepUp(() => api.update({ body })));
export const useRemoveUser = () => useListChange(all, (id: UserId) => withStepUp(() => api.remove({ params: { id } })));
export const useResetFactors = () =>
  useListChange(all, (id: UserId) => withStepUp(() => factors.reset({ params: { id } })));
export const useAcknowledgeDiscrepancies = () =>
  useListChange(all, (id: UserId) => api.acknowledgeAlarms({ params: { id } }));
export const useChangeQuota = () =>
  useListChange(all, ({ id, changeId, ...body }: QuotaChange) =>
    api.changeQuota({ params: { id }, body, idempotencyKey: changeId }),
  );

export const useEditUsers = () =>
  useListChange(all, (body: { ids: UserId[]; edit: UserEdit }) => withStepUp(() => api.edit({ body })));
export const useChangeQuotas = () =>
  useListChange(all, ({ changeId, ...body }: QuotaChanges) => api.changeQuotas({ body, idempotencyKey: changeId }));

/** Returns the URL at which the browser downloads the matching users. */
export const userExportUrl = (filter: UserFilter) => routeUrl(users.export, { query: filter });

/** Changes a user's status and shows it before the server responds. */
export const useSetUserStatus = () =>
  useQuickListChange(
    all,
    (change: { id: UserId; status: UserStatus }) => withStepUp(() => api.update({ body: change })),
    (user: User, { id, status }) => (user.id === id ? { ...user, status } : user),
  );

export const userPaletteSource: PaletteSource = {
  heading: 'users',
  access: 'users.read',
  find: async (text, signal) => {
    const { data } = await listUsers({ keyword: text, size: 5 }, signal);
    return data.map((user) => ({
      id: `user-${user.id}`,
      title: user.username,
      detail: user.email === '' ? user.display_name : user.email,
      to: userPath(user.id),
    }));
  },
};

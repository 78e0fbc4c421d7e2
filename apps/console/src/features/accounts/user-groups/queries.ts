import { type UserGroup, userGroups } from '@switchyard/contract/accounts/user-groups';
import { createClient } from '@switchyard/contract/client';
import type { UserGroupId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { send } from '../../../api.ts';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { queryKeepingPrevious, useListChange, useQuickListChange } from '../../../list-queries.ts';
import type { Option } from '../../../ui/inputs/select-options.ts';

const api = createClient(userGroups, send);
const all = ['user-groups'] as const;
/** Page size that holds every group of an installation, for lists of choices. */
const MOST_GROUPS = 100;

export type UserGroupListQuery = NonNullable<RouteCall<typeof userGroups.list>['query']>;
export type CreateUserGroup = RouteCall<typeof userGroups.create>['body'];
export type UpdateUserGroup = RouteCall<typeof userGroups.update>['body'];

/** Query for the groups that the signed-in user may choose, by symbol. */
const groupMapQuery = queryOptions({
  queryKey: [...all, 'map'],
  queryFn: ({ signal }) => api.map({}, signal),
  staleTime: 60_000,
});

export function useGroups() {
  return useQuery(groupMapQuery).data;
}

/** Returns a function that names a group; for a group that the user may not choose, it returns the symbol. */
export function useGroupName(): (symbol: string) => string {
  const groups = useGroups();
  return useCallback((symbol) => groups?.[symbol]?.name ?? symbol, [groups]);
}

/** Returns groups as form options, each labelled with its ratio. */
export function groupChoices(groups: Readonly<Record<string, UserGroup>> = {}): Option[] {
  return Object.values(groups).map(({ symbol, name, ratio }) => ({
    value: symbol,
    label: `${isolateBidi(name)} ×${ratio}`,
  }));
}

export const listUserGroups = (query: UserGroupListQuery, signal?: AbortSignal) => api.list({ query }, signal);

/** Query for every group, for administrators. */
const everyGroupQuery = queryOptions({
  queryKey: [...all, 'every'],
  queryFn: async ({ signal }) => (await listUserGroups({ size: MOST_GROUPS, order: 'id' }, signal)).data,
  staleTime: 60_000,
});

const noOptions: GroupOption[] = [];
const toOptions = (groups: readonly UserGroup[]): GroupOption[] =>
  groups.map(({ symbol, name, ratio }) => ({ value: symbol, label: name, detail: `×${ratio}` }));

export interface GroupOption {
  /** Symbol of the group. */
  value: string;
  label: string;
  /** Ratio of the group. */
  detail: string;
}

/** Returns every group as options of a filter or a form, for administrators. */
export function useGroupOptions(): readonly GroupOption[] {
  return useQuery({ ...everyGroupQuery, select: toOptions }).data ?? noOptions;
}

/** Returns a group's name, or its symbol while the names are loading. */
export function groupName(options: readonly GroupOption[], symbol: string): string {
  return options.find(({ value }) => value === symbol)?.label ?? symbol;
}

export const userGroupListQuery = (query: UserGroupListQuery) =>
  queryKeepingPrevious([...all, 'list', query], (signal) => listUserGroups(query, signal));

export const userGroupQuery = (id: UserGroupId) =>
  queryOptions({ queryKey: [...all, 'one', id], queryFn: ({ signal }) => api.get({ params: { id } }, signal) });

export const useCreateUserGroup = () => useListChange(all, (body: CreateUserGroup) => api.create({ body }));
export const useUpdateUserGroup = () => useListChange(all, (body: UpdateUserGroup) => api.update({ body }));
export const useRemoveUserGroup = () => useListChange(all, (id: UserGroupId) => api.remove({ params: { id } }));

/** Enables or disables a group and shows the change before the server responds. */
export const useToggleUserGroup = () =>
  useQuickListChange(
    all,
    (id: UserGroupId) => api.toggle({ params: { id } }),
    (group: UserGroup, id) => (group.id === id ? { ...group, enable: !group.enable } : group),
  );

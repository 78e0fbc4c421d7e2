import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { createClient } from '@switchyard/contract/client';
import type { StaffRoleId } from '@switchyard/contract/ids';
import type { RouteCall } from '@switchyard/contract/route';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { useListChange } from '../../../list-queries.ts';
import type { Option } from '../../../ui/inputs/select-options.ts';
import { withStepUp } from '../../../ui/overlays/with-step-up.ts';

const api = createClient(staffRoles, send);
const all = ['staff-roles'] as const;

export type StaffRoleValues = RouteCall<typeof staffRoles.create>['body'];

export const staffRolesQuery = queryOptions({
  queryKey: all,
  queryFn: ({ signal }) => api.list({}, signal),
  staleTime: 60_000,
});

/** Returns the staff roles as form options. */
export function useStaffRoleOptions(): readonly Option[] {
  const { data = [] } = useQuery(staffRolesQuery);
  return data.map(({ id, name }) => ({ value: String(id), label: name }));
}

export const useSaveStaffRole = () =>
  useListChange(all, ({ id, ...body }: StaffRoleValues & { id: StaffRoleId | undefined }) =>
    withStepUp(() => (id === undefined ? api.create({ body }) : api.update({ params: { id }, body }))),
  );

export const useRemoveStaffRole = () => useListChange(all, (id: StaffRoleId) => api.remove({ params: { id } }));

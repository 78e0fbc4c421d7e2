import { z } from 'zod';
import { staffRoleId } from '../ids.ts';
import { emptyData, routes } from '../route.ts';
import { permission } from './permissions.ts';

export const staffRoleForm = z.object({
  name: z.string().trim().min(1).max(64),
  permissions: z.array(permission).max(64),
});

export const staffRole = staffRoleForm.extend({ id: staffRoleId, members: z.int() });
export type StaffRole = z.output<typeof staffRole>;

const byId = z.object({ id: staffRoleId });

export const staffRoles = routes({
  list: {
    method: 'GET',
    path: '/api/staff_role/',
    access: 'users.read',
    summary: 'List the staff roles',
    answer: z.array(staffRole),
  },
  create: {
    method: 'POST',
    path: '/api/staff_role/',
    access: 'root',
    stepUp: true,
    summary: 'Create a staff role',
    body: staffRoleForm,
    answer: staffRole,
  },
  update: {
    method: 'PUT',
    path: '/api/staff_role/:id',
    access: 'root',
    stepUp: true,
    summary: 'Update a staff role; applies to its members immediately',
    params: byId,
    body: staffRoleForm,
    answer: staffRole,
  },
  remove: {
    method: 'DELETE',
    path: '/api/staff_role/:id',
    access: 'root',
    summary: 'Delete a staff role without members',
    params: byId,
    answer: emptyData,
  },
});

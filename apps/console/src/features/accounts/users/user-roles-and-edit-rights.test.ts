import { describe, expect, it } from 'vitest';
import { assignableRoles, userRights } from './user-roles-and-edit-rights.ts';

const root = { id: 1, role: 'root' } as const;
const admin = { id: 2, role: 'admin' } as const;
const otherAdmin = { id: 3, role: 'admin' } as const;
const user = { id: 4, role: 'user' } as const;

describe('userRights', () => {
  it('lets administrators manage lower roles only', () => {
    expect(userRights(admin, user)).toEqual({ change: true, manage: true });
    expect(userRights(admin, otherAdmin)).toEqual({ change: false, manage: false });
    expect(userRights(admin, root)).toEqual({ change: false, manage: false });
  });

  it('lets root change itself but neither disable nor delete itself', () => {
    expect(userRights(root, root)).toEqual({ change: true, manage: false });
    expect(userRights(root, admin)).toEqual({ change: true, manage: true });
  });
});

describe('assignableRoles', () => {
  it('contains the roles below one’s own and never root', () => {
    expect(assignableRoles(admin)).toEqual(['user', 'staff']);
    expect(assignableRoles(root)).toEqual(['user', 'staff', 'admin']);
  });
});

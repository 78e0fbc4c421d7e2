import { z } from 'zod';
import { accountFields, displayName, password, seconds, username } from './account.ts';
import { right } from './permissions.ts';
import { nothing, routes } from './route.ts';

/** The signed-in user's own account. */
export const self = z.object({
  ...accountFields,
  /** What this credential may do. */
  rights: z.array(right),
});
export type Self = z.output<typeof self>;

export const updateProfile = z.object({
  username: username.optional(),
  display_name: displayName.optional(),
  /** Needed when `password` is set. */
  current_password: z.string().max(128).optional(),
  password: password.optional(),
});

export const session = z.object({
  id: z.string(),
  created_time: seconds,
  last_seen_time: seconds,
  address: z.string(),
  device: z.string(),
  current: z.boolean(),
});

export const profile = routes({
  get: { method: 'GET', path: '/api/user/self', access: 'user', summary: 'Own account', answer: self },
  update: {
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    summary: 'Changes own names or password; a new password ends all other sessions',
    body: updateProfile,
    answer: self,
  },
  stepUp: {
    method: 'POST',
    path: '/api/user/step_up',
    access: 'user',
    summary: 'Confirms the password; unlocks sensitive actions of this session for ten minutes',
    body: z.object({ password: z.string().max(128) }),
    answer: nothing,
  },
  listSessions: {
    method: 'GET',
    path: '/api/user/sessions',
    access: 'user',
    summary: 'Own sessions',
    answer: z.array(session),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    access: 'user',
    summary: 'Ends one of the own sessions',
    params: z.object({ id: z.string().max(64) }),
    answer: nothing,
  },
});

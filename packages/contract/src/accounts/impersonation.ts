/** Read-only sessions in which root acts as another user. */
import { z } from 'zod';
import { userId } from '../ids.ts';
import { emptyData, routes } from '../route.ts';
import { seconds } from './account-fields.ts';

export const impersonation = routes({
  start: {
    method: 'POST',
    path: '/api/impersonation',
    access: 'root',
    stepUp: true,
    summary: 'Impersonate a user with a lower role for at most 30 minutes; your own session continues',
    body: z.object({
      user_id: userId,
      /** Kept in the audit log. */
      reason: z.string().trim().min(3).max(500),
    }),
    answer: z.object({ until: seconds }),
  },
  end: {
    method: 'POST',
    path: '/api/impersonation/end',
    access: 'anyone',
    impersonated: true,
    summary: 'End the impersonation; succeeds even if it has already ended',
    answer: emptyData,
  },
});

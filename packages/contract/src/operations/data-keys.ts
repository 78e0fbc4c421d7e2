/** The keys that seal stored secrets. Nothing here answers a secret. */
import { z } from 'zod';
import { seconds } from '../accounts/account.ts';
import { routes } from '../route.ts';

const secretState = z.object({
  data_keys: z.int(),
  newest_created_time: seconds,
  /** Stored secrets that an older data key sealed, and that wait to be sealed again. */
  pending: z.int(),
});
export type SecretState = z.output<typeof secretState>;

export const secrets = routes({
  state: {
    method: 'GET',
    path: '/api/secrets/state',
    access: 'root',
    summary: 'The data keys that seal stored secrets',
    answer: secretState,
  },
  rotate: {
    method: 'POST',
    path: '/api/secrets/rotate',
    access: 'root',
    stepUp: true,
    summary: 'Seals every stored secret with a new data key',
    answer: secretState,
  },
});

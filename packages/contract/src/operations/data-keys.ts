/** Data keys, which encrypt stored secrets. No response contains a secret. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { routes } from '../route.ts';

const secretState = z.object({
  data_keys: z.int(),
  newest_created_time: seconds,
  /** Stored secrets that are encrypted with an older data key and wait for re-encryption. */
  pending: z.int(),
});
export type SecretState = z.output<typeof secretState>;

export const secrets = routes({
  state: {
    method: 'GET',
    path: '/api/secrets/state',
    access: 'root',
    summary: 'List the data keys that encrypt stored secrets',
    answer: secretState,
  },
  rotate: {
    method: 'POST',
    path: '/api/secrets/rotate',
    access: 'root',
    stepUp: true,
    summary: 'Rotate the data key: re-encrypt all stored secrets with a new one',
    answer: secretState,
  },
});

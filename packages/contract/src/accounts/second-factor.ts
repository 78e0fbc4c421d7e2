import { z } from 'zod';
import { userId } from '../ids.ts';
import { emptyData, routes } from '../route.ts';
import { seconds } from './account-fields.ts';
import { self } from './profile.ts';

/** Six digits of the app, or a recovery code. */
const code = z.string().trim().min(6).max(32);

export const secondFactorState = z.object({
  /** True if an authenticator app is set up. */
  totp: z.boolean(),
  passkeys: z.int(),
  recovery_codes_left: z.int(),
  /** UTC seconds from which the role requires a second factor; null: never. */
  needed_from: seconds.nullable(),
});
export type SecondFactorState = z.output<typeof secondFactorState>;

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const secondFactor = routes({
  state: {
    method: 'GET',
    path: '/api/user/second_factor',
    access: 'user',
    summary: 'List the second factors of your account',
    answer: secondFactorState,
  },
  beginTotp: {
    method: 'POST',
    path: '/api/user/totp/begin',
    access: 'user',
    stepUp: true,
    summary: 'Create a secret for an authenticator app; it has no effect before it is confirmed',
    answer: z.object({ secret: z.string(), uri: z.string() }),
  },
  finishTotp: {
    method: 'POST',
    path: '/api/user/totp/finish',
    access: 'user',
    summary: 'Confirm the authenticator app with its first code; the recovery codes are returned only here',
    body: z.object({ code }),
    answer: recoveryCodes,
  },
  removeTotp: {
    method: 'DELETE',
    path: '/api/user/totp',
    access: 'user',
    stepUp: true,
    summary: 'Remove the authenticator app',
    answer: emptyData,
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/api/user/recovery_codes',
    access: 'user',
    stepUp: true,
    summary: 'Create new recovery codes; the previous codes stop working',
    answer: recoveryCodes,
  },
  waiting: {
    method: 'GET',
    path: '/api/user/login/second',
    access: 'anyone',
    summary: 'List the second factors with which the pending sign-in of this browser can be finished',
    answer: z.object({ code: z.boolean(), passkey: z.boolean() }),
  },
  signIn: {
    method: 'POST',
    path: '/api/user/login/second',
    access: 'anyone',
    summary: 'Finish the pending sign-in of this browser',
    body: z.object({ code }),
    answer: self,
  },
  reset: {
    method: 'DELETE',
    path: '/api/user/:id/second_factor',
    access: 'users.write',
    stepUp: true,
    summary: 'Remove all second factors of a user who lost them; ends their sessions',
    params: z.object({ id: userId }),
    answer: emptyData,
  },
});

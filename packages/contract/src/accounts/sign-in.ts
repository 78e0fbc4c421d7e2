import { z } from 'zod';
import { emptyData, routes } from '../route.ts';
import { self } from './profile.ts';

export const credentials = z.object({
  /** User name or e-mail address. */
  username: z.string().trim().min(1).max(128),
  password: z.string().min(1).max(128),
});
export type Credentials = z.output<typeof credentials>;

export const signIn = routes({
  signIn: {
    method: 'POST',
    path: '/api/user/login',
    access: 'anyone',
    summary: 'Sign in with a password; sets the session cookie',
    body: credentials,
    answer: self,
  },
  signOut: {
    method: 'GET',
    path: '/api/user/logout',
    access: 'anyone',
    sameOrigin: true,
    impersonated: true,
    summary: 'End this session; same-origin only',
    answer: emptyData,
  },
});

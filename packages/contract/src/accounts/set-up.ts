import { z } from 'zod';
import { nothing, routes } from '../route.ts';
import { password, username } from './account.ts';
import { self } from './profile.ts';

/** The one-time code from the link that is printed at the first start; it travels in the URL's fragment. */
const setUpCode = z.string().min(16).max(128);

export const createRoot = z.object({ code: setUpCode, username, password });

export const setUp = routes({
  check: {
    method: 'POST',
    path: '/api/setup/check',
    access: 'anyone',
    summary: 'Tells whether a set-up code is valid',
    body: z.object({ code: setUpCode }),
    answer: nothing,
  },
  createRoot: {
    method: 'POST',
    path: '/api/setup',
    access: 'anyone',
    summary: 'Creates the root account and signs it in; works once',
    body: createRoot,
    answer: self,
  },
});

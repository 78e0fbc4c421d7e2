import { z } from 'zod';
import { emptyData, routes } from '../route.ts';
import { password, username } from './account-fields.ts';
import { self } from './profile.ts';

/**
 * One-time code from the link that is printed at the first start. It is in the URL's fragment, which is not sent to
 * servers.
 */
const setUpCode = z.string().min(16).max(128);

export const createRoot = z.object({ code: setUpCode, username, password });

export const setUp = routes({
  check: {
    method: 'POST',
    path: '/api/setup/check',
    access: 'anyone',
    summary: 'Check whether a setup code is valid',
    body: z.object({ code: setUpCode }),
    answer: emptyData,
  },
  createRoot: {
    method: 'POST',
    path: '/api/setup',
    access: 'anyone',
    summary: 'Create the root account and sign it in; works once',
    body: createRoot,
    answer: self,
  },
});

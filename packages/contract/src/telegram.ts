import { z } from 'zod';
import { seconds } from './account.ts';
import { nothing, routes } from './route.ts';

export const telegram = routes({
  get: {
    method: 'GET',
    path: '/api/user/telegram',
    access: 'user',
    summary: "The site's bot, and the own Telegram account that is bound",
    answer: z.object({
      /** Without `@`; empty while there is none. */
      bot: z.string(),
      bound: z.object({ label: z.string(), created_time: seconds }).nullable(),
    }),
  },
  begin: {
    method: 'POST',
    path: '/api/user/telegram/code',
    access: 'user',
    stepUp: true,
    summary: 'A code for the bot, valid once and for ten minutes: whoever sends it is bound',
    answer: z.object({ code: z.string(), link: z.url() }),
  },
  unbind: {
    method: 'DELETE',
    path: '/api/user/telegram',
    access: 'user',
    stepUp: true,
    summary: 'Removes the Telegram account',
    answer: nothing,
  },
});

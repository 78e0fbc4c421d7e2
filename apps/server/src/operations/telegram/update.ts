/** Telegram's updates, with the fields that are used: https://core.telegram.org/bots/api#update */
import { z } from 'zod';

const message = z.object({
  text: z.string().catch(''),
  chat: z.object({ id: z.int(), type: z.string() }),
  from: z.object({
    id: z.int().positive(),
    username: z.string().max(64).optional().catch(undefined),
    first_name: z.string().catch(''),
    language_code: z.string().max(35).catch(''),
  }),
});
export type Message = z.output<typeof message>;

export const update = z.object({
  update_id: z.int(),
  // Other kinds of updates need no reply.
  message: message.optional().catch(undefined),
});
export type Update = z.output<typeof update>;

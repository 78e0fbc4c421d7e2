/** Parts that all calls of the Telegram Bot API share: https://core.telegram.org/bots/api#making-requests */
import { z } from 'zod';

export const botResponse = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.int().catch(0),
  description: z.string().max(500).catch(''),
  parameters: z.object({ retry_after: z.number().catch(0) }).optional(),
});

/** Returns a secret address: it contains the bot's token. */
export const buildBotUrl = (token: string, method: string): string => `https://api.telegram.org/bot${token}/${method}`;

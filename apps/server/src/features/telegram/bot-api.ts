/** Calls of the Telegram Bot API: https://core.telegram.org/bots/api#making-requests */
import { z } from 'zod';
import type { Context } from '../../context.ts';

const HOST = 'https://api.telegram.org';

const answer = z.object({
  ok: z.boolean(),
  result: z.unknown(),
  description: z.string().max(500).catch(''),
  parameters: z.object({ retry_after: z.number().catch(0) }).optional(),
});

/** What Telegram said against a call. The token is in the address, so that only the method is named. */
export class BotRefusal extends Error {
  readonly retryAfterSeconds: number;
  constructor(method: string, description: string, retryAfterSeconds = 0) {
    super(`Telegram refused ${method}: ${description}`);
    this.name = 'BotRefusal';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * @throws BotRefusal, also when no answer came or one in another form
 */
export async function callBot<S extends z.ZodType>(
  ctx: Context,
  method: string,
  { schema, signal, ...parameters }: Record<string, unknown> & { schema: S; signal?: AbortSignal },
): Promise<z.output<S>> {
  const token = ctx.settings.telegramBotToken;
  let body: unknown;
  try {
    const response = await ctx.outbound.fetch(`${HOST}/bot${token}/${method}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
      ...(signal === undefined ? {} : { signal }),
    });
    body = await response.json();
  } catch {
    throw new BotRefusal(method, 'no answer');
  }
  const read = answer.safeParse(body).data;
  if (read?.ok !== true) throw new BotRefusal(method, read?.description ?? '', read?.parameters?.retry_after);
  const result = schema.safeParse(read.result);
  if (!result.success) throw new BotRefusal(method, 'an answer in another form');
  return result.data;
}

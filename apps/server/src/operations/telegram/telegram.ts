import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { recordContact } from './bot-connection-state.ts';
import { isFromTelegram, WEBHOOK_PATH } from './bot-webhook.ts';
import { getInbox, update } from './message-handler.ts';

const BODY_MAX_BYTES = 262_144;

/**
 * Serves Telegram's webhook outside of the API contract: Telegram determines the format. Calls without the secret are
 * refused before the body is read.
 */
export function serveTelegram(app: FastifyInstance, ctx: Context): void {
  app.route({
    method: 'POST',
    url: WEBHOOK_PATH,
    bodyLimit: BODY_MAX_BYTES,
    config: { entrance: { access: 'Telegram' } },
    onRequest: async ({ headers }: FastifyRequest) => {
      if (!(await isFromTelegram(ctx, headers['x-telegram-bot-api-secret-token'])))
        throw new AppError('not-signed-in', 'Only Telegram can call this address');
    },
    handler: async ({ body }) => {
      recordContact(ctx, ctx.settings.telegramBotToken);
      const read = update.safeParse(body);
      // Telegram would resend a refused message again and again.
      if (read.success) await getInbox(ctx).processUpdate(read.data);
      return {};
    },
  });
}

/** The site's Telegram bot. */
export { fetchBotName } from './bot-api.ts';
export { getBotName } from './bot-connection-state.ts';
export { startTelegram } from './receive-updates.ts';

/** Webhook mode, in which Telegram calls the gateway: https://core.telegram.org/bots/api#setwebhook */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { areSecretsEqual } from '../../platform/secrets/vault.ts';
import { callBot, getBotId } from './bot-api.ts';
import { updateConnection } from './bot-connection-state.ts';

export const WEBHOOK_PATH = '/api/telegram/webhook';
export const allowedUpdates = ['message'];

const CONNECTIONS_MAX = 20;

const webhookInfo = z.object({
  url: z.string(),
  pending_update_count: z.int().catch(0),
  last_error_date: z.int().catch(0),
  last_error_message: z.string().max(500).catch(''),
});

/** @throws BotApiError; AppError `not-set-up` without an address that Telegram can reach */
export async function setWebhook(ctx: Context, signal: AbortSignal): Promise<void> {
  const url = buildWebhookUrl(ctx);
  await callBot(ctx, 'setWebhook', {
    schema: z.unknown(),
    signal,
    url,
    secret_token: (await readSecret(ctx)) ?? (await createSecret(ctx)),
    allowed_updates: allowedUpdates,
    max_connections: CONNECTIONS_MAX,
  });
}

/** Deletes the webhook, without which polling is refused. @throws BotApiError */
export async function deleteWebhook(ctx: Context, signal: AbortSignal): Promise<void> {
  const token = ctx.settings.telegramBotToken;
  await callBot(ctx, 'deleteWebhook', { schema: z.unknown(), signal });
  await ctx.db.writer.deleteFrom('telegram_webhook').execute();
  updateConnection(ctx, token, { pending: 0, lastError: '', lastErrorTime: 0 });
}

/** @returns false when Telegram's webhook has another address. @throws BotApiError */
export async function checkWebhook(ctx: Context, signal: AbortSignal): Promise<boolean> {
  const token = ctx.settings.telegramBotToken;
  const info = await callBot(ctx, 'getWebhookInfo', { schema: webhookInfo, signal });
  updateConnection(ctx, token, {
    pending: info.pending_update_count,
    lastError: info.last_error_message,
    lastErrorTime: info.last_error_date,
  });
  return info.url === buildWebhookUrl(ctx);
}

/** @param secret header of Telegram's call */
export async function isFromTelegram(ctx: Context, secret: unknown): Promise<boolean> {
  if (typeof secret !== 'string' || !ctx.settings.telegramWebhook) return false;
  const expected = await readSecret(ctx);
  return expected !== undefined && areSecretsEqual(secret, expected);
}

const buildWebhookUrl = (ctx: Context): string => `${requirePublicAddress(ctx)}${WEBHOOK_PATH}`;
const rowName = (bot: string): string => `telegram_webhook:${bot}`;

async function readSecret(ctx: Context): Promise<string | undefined> {
  const bot = getBotId(ctx);
  const row = await ctx.db.writer
    .selectFrom('telegram_webhook')
    .select('secret_sealed')
    .where('bot', '=', bot)
    .executeTakeFirst();
  return row && ctx.vault.open('telegram-webhook', rowName(bot), row.secret_sealed);
}

async function createSecret(ctx: Context): Promise<string> {
  const bot = getBotId(ctx);
  const secret = randomBytes(32).toString('base64url');
  const secret_sealed = ctx.vault.seal('telegram-webhook', rowName(bot), secret);
  await ctx.db.writer.transaction().execute(async (trx) => {
    // Any other row belongs to an earlier bot.
    await trx.deleteFrom('telegram_webhook').execute();
    await trx.insertInto('telegram_webhook').values({ bot, secret_sealed }).execute();
  });
  return secret;
}

/** Binds Telegram accounts: the signed-in user gets a code, and whoever sends it to the site's bot is bound. */
import { setTimeout as pause } from 'node:timers/promises';
import type { UserId } from '@switchyard/contract/ids';
import type { RouteAnswer } from '@switchyard/contract/route';
import type { telegram } from '@switchyard/contract/telegram';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError, notFound } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { audit } from '../audit/audit.ts';
import { forget, issueSecret, takeSecret } from '../one-time/one-time.ts';
import { tellOwner } from '../security-notices/security-notices.ts';
import { languageOfMails } from '../users/users.ts';
import { BotRefusal, callBot } from './bot-api.ts';
import { replies } from './replies.ts';

const PROVIDER = 'telegram';
const CODE_SECONDS = 600;
/** Seconds that Telegram waits for a message; an outbound call lasts ten at most. */
const POLL_SECONDS = 8;
const PAUSE_MS = 5_000;

const purpose = 'telegram';
/** The code is sent from another device. */
const anyDevice = { purpose, deviceHash: '' } as const;

const message = z.object({
  text: z.string().catch(''),
  chat: z.object({ id: z.number(), type: z.string() }),
  from: z.object({
    id: z.int().positive(),
    username: z.string().optional(),
    first_name: z.string().catch(''),
  }),
});
const update = z.object({ update_id: z.int(), message: message.optional().catch(undefined) });

/** Of the bot of each server of this process, once Telegram has told it. */
const botNames = new WeakMap<Context, { token: string; name: string }>();

/** Without `@`; empty while no bot is set up. */
export function botName(ctx: Context): string {
  const known = botNames.get(ctx);
  return known !== undefined && known.token === ctx.settings.telegramBotToken ? known.name : '';
}

export async function readTelegram(
  ctx: Context,
  { userId }: Caller,
): Promise<RouteAnswer<typeof telegram.get>> {
  const bound = await ctx.db.writer
    .selectFrom('identity')
    .select(['label', 'created_time'])
    .where('user_id', '=', userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  return { bot: botName(ctx), bound: bound ?? null };
}

/** @throws AppError `switched-off` while there is no bot */
export async function beginBinding(
  ctx: Context,
  { userId }: Caller,
): Promise<{ code: string; link: string }> {
  const bot = botName(ctx);
  if (bot === '') throw new AppError('switched-off', 'This site has no Telegram bot');
  const subject = String(userId);
  await forget(ctx, { ...anyDevice, subject });
  const code = await issueSecret(ctx, { ...anyDevice, subject, userId, seconds: CODE_SECONDS });
  return { code, link: `https://t.me/${bot}?start=${code}` };
}

/** @throws AppError `not-found` */
export async function unbindTelegram(ctx: Context, { userId }: Caller): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('identity')
    .where('user_id', '=', userId)
    .where('provider', '=', PROVIDER)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('Telegram account');
}

/** Listens to the bot while one is set. Returns what stops it. */
export function startTelegram(ctx: Context): () => Promise<void> {
  const stop = new AbortController();
  const listening = listen(ctx, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) ctx.log.error({ err: error }, 'the Telegram bot is not listened to any more');
  });
  return async () => {
    stop.abort();
    await listening;
  };
}

async function listen(ctx: Context, signal: AbortSignal): Promise<void> {
  let offset = 0;
  while (!signal.aborted) {
    if (ctx.settings.telegramBotToken === '') {
      await pause(PAUSE_MS, undefined, { signal });
      continue;
    }
    try {
      if (botName(ctx) === '') {
        await learnName(ctx, signal);
        // Each bot counts its messages for itself.
        offset = 0;
      }
      offset = await readMessages(ctx, offset, signal);
    } catch (error) {
      if (signal.aborted) return;
      logFailure(ctx, error, 'the Telegram bot cannot be reached');
      const retryAfter = error instanceof BotRefusal ? error.retryAfterSeconds * 1000 : 0;
      await pause(Math.max(PAUSE_MS, retryAfter), undefined, { signal });
    }
  }
}

/** A refusal says itself what there is to know; anything else is a fault of ours. */
function logFailure({ log }: Context, error: unknown, sentence: string): void {
  if (error instanceof BotRefusal) log.warn({ reason: error.message }, sentence);
  else log.error({ err: error }, sentence);
}

async function learnName(ctx: Context, signal: AbortSignal): Promise<void> {
  const token = ctx.settings.telegramBotToken;
  botNames.set(ctx, { token, name: await askBotName(ctx, signal) });
}

/** https://core.telegram.org/bots/api#getme @throws BotRefusal */
export async function askBotName(ctx: Context, signal: AbortSignal): Promise<string> {
  const { username } = await callBot(ctx, 'getMe', { schema: z.object({ username: z.string() }), signal });
  return username;
}

/** @returns the next offset, by which Telegram forgets what was read */
async function readMessages(ctx: Context, offset: number, signal: AbortSignal): Promise<number> {
  const updates = await callBot(ctx, 'getUpdates', {
    schema: z.array(update),
    signal,
    offset,
    timeout: POLL_SECONDS,
    allowed_updates: ['message'],
  });
  let next = offset;
  for (const { update_id, message } of updates) {
    next = Math.max(next, update_id + 1);
    if (message?.chat.type !== 'private') continue;
    // Somebody who blocked the bot meanwhile must not keep everybody behind them waiting.
    await answerMessage(ctx, message, signal).catch((error: unknown) =>
      logFailure(ctx, error, 'a message to the Telegram bot was not answered'),
    );
  }
  return next;
}

async function answerMessage(
  ctx: Context,
  { text, chat, from }: z.output<typeof message>,
  signal: AbortSignal,
): Promise<void> {
  const code = /^\/(?:start|bind)\s+([\w-]{43})$/.exec(text.trim())?.[1];
  if (code === undefined) return;
  const taken = await takeSecret(ctx, anyDevice, code);
  const outcome = taken?.userId === undefined ? 'unknown' : await bind(ctx, taken.userId, from);
  const language = await languageOfUser(ctx, taken?.userId);
  const schema = z.unknown();
  await callBot(ctx, 'sendMessage', { schema, signal, chat_id: chat.id, text: replies[language][outcome] });
}

async function bind(
  ctx: Context,
  userId: number,
  from: z.output<typeof message>['from'],
): Promise<'bound' | 'taken'> {
  const bound = await ctx.db.writer.transaction().execute(async (trx) => {
    const issuer = 'https://telegram.org';
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('identity')
      .values({
        provider: PROVIDER,
        issuer,
        subject: String(from.id),
        user_id: userId,
        label: from.username === undefined ? from.first_name.slice(0, 64) : `@${from.username}`,
        created_time: nowSeconds(ctx.clock),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  });
  if (!bound) return 'taken';
  await tellOwner(ctx, userId, 'identity-bound', { provider: 'Telegram' });
  const call = { caller: { userId: userId as UserId }, address: '', requestId: '' };
  await audit(ctx, call, {
    action: 'identity.bind',
    target: `user:${userId}`,
    detail: { provider: PROVIDER },
  });
  return 'bound';
}

async function languageOfUser(ctx: Context, userId: number | undefined) {
  const user =
    userId === undefined
      ? undefined
      : await ctx.db.writer.selectFrom('user').select('language').where('id', '=', userId).executeTakeFirst();
  return languageOfMails(ctx, user?.language ?? '');
}

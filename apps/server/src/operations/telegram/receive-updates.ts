/** Maintains the connection to Telegram: polls for messages, or keeps the webhook set. */
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { sleep } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { callBot, fetchBotName, logFailure } from './bot-api.ts';
import { getBotName, recordContact, recordFailure, updateConnection } from './bot-connection-state.ts';
import { allowedUpdates, checkWebhook, deleteWebhook, setWebhook } from './bot-webhook.ts';
import { pushCommands } from './custom-commands.ts';
import { getInbox, update } from './message-handler.ts';

/** Seconds of a long poll; an outbound call lasts ten at most. */
const POLL_SECONDS = 8;
const PAUSE_MS = 5_000;
const RETRY_MAX_MS = 600_000;
/** Messages per poll. After a failure one is requested, because many long ones exceed the size of a response. */
const MESSAGES_MAX = 20;
/** Milliseconds to wait for replies before the next messages are requested; unfinished replies continue. */
const REPLY_GRACE_MS = 2_000;

/** Starts listening while a bot is configured. Returns a function that stops it. */
export function startTelegram(ctx: Context): () => Promise<void> {
  const stop = new AbortController();
  const listening = listenUnderLease(ctx, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) ctx.log.error({ err: error }, 'the connection to the Telegram bot has ended');
  });
  return async () => {
    stop.abort();
    await Promise.all([listening, getInbox(ctx).close()]);
  };
}

/** Returns the settings that the connection depends on; their change causes a reconnect. */
function buildConnectionKey({ settings, config }: Context): string {
  const { telegramBotToken, telegramWebhook, serverAddress } = settings;
  return JSON.stringify([telegramBotToken, telegramWebhook && [serverAddress, config.publicUrl]]);
}

/** Listens on one node at a time. */
async function listenUnderLease(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [lease] = await ctx.leases.acquire(['telegram']).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the lease for the Telegram bot could not be acquired');
      return [];
    });
    if (lease === undefined) await learnBotName(ctx, signal);
    else
      await listen(ctx, AbortSignal.any([signal, lease.lost]))
        .catch((error: unknown) => {
          if (!lease.lost.aborted) throw error;
        })
        .finally(() => lease.release());
  }
}

/** Fetches the bot's name on a node that doesn't listen, because every node shows it. */
async function learnBotName(ctx: Context, signal: AbortSignal): Promise<void> {
  const token = ctx.settings.telegramBotToken;
  if (token !== '' && getBotName(ctx) === '')
    try {
      updateConnection(ctx, token, { name: await fetchBotName(ctx, signal) });
      recordContact(ctx, token);
    } catch (error) {
      if (!signal.aborted) logFailure(ctx, error, 'the Telegram bot cannot be reached');
    }
  await sleep(ctx.clock, PAUSE_MS, signal);
}

async function listen(ctx: Context, signal: AbortSignal): Promise<void> {
  let connected = '';
  let offset = 0;
  let limit = MESSAGES_MAX;
  while (!signal.aborted) {
    const token = ctx.settings.telegramBotToken;
    if (token === '') {
      await sleep(ctx.clock, PAUSE_MS, signal);
      continue;
    }
    const wanted = buildConnectionKey(ctx);
    try {
      if (connected !== wanted) {
        await connect(ctx, signal);
        connected = wanted;
        // Message numbers are per bot.
        offset = 0;
      }
      if (ctx.settings.telegramWebhook) await watchWebhook(ctx, signal);
      else {
        offset = await fetchMessages(ctx, offset, limit, signal);
        limit = Math.min(2 * limit, MESSAGES_MAX);
      }
    } catch (error) {
      if (signal.aborted) return;
      connected = '';
      limit = 1;
      logFailure(ctx, error, 'the Telegram bot cannot be reached');
      recordFailure(ctx, token, error instanceof AppError ? error.message : 'Internal error. See the server log.');
      const requestedMs = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      await sleep(ctx.clock, Math.min(Math.max(PAUSE_MS, requestedMs), RETRY_MAX_MS), signal);
    }
  }
}

async function connect(ctx: Context, signal: AbortSignal): Promise<void> {
  const token = ctx.settings.telegramBotToken;
  const isNew = getBotName(ctx) === '';
  const name = await fetchBotName(ctx, signal);
  if (ctx.settings.telegramWebhook) await setWebhook(ctx, signal);
  else await deleteWebhook(ctx, signal);
  updateConnection(ctx, token, { name });
  recordContact(ctx, token);
  // The bot works without its menu.
  if (isNew)
    await pushCommands(ctx, signal).catch((error: unknown) =>
      logFailure(ctx, error, "Telegram did not accept the bot's commands"),
    );
}

async function watchWebhook(ctx: Context, signal: AbortSignal): Promise<void> {
  const token = ctx.settings.telegramBotToken;
  if (!(await checkWebhook(ctx, signal))) await setWebhook(ctx, signal);
  recordContact(ctx, token);
  await sleep(ctx.clock, PAUSE_MS, signal);
}

/** @returns the next offset, which confirms the received messages to Telegram */
async function fetchMessages(ctx: Context, offset: number, limit: number, signal: AbortSignal): Promise<number> {
  const token = ctx.settings.telegramBotToken;
  const updates = await callBot(ctx, 'getUpdates', {
    schema: z.array(update),
    signal,
    offset,
    limit,
    timeout: POLL_SECONDS,
    allowed_updates: allowedUpdates,
  });
  recordContact(ctx, token);
  const answers = Promise.all(updates.map((one) => getInbox(ctx).processUpdate(one)));
  if (updates.length > 0) await Promise.race([answers, sleep(ctx.clock, REPLY_GRACE_MS, signal)]);
  return Math.max(offset, ...updates.map(({ update_id }) => update_id + 1));
}

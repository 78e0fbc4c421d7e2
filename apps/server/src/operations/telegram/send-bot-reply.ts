/** Messages that the bot sends. */
import type { ParseMode } from '@switchyard/contract/operations/telegram';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { sleep } from '../../platform/clock.ts';
import { BotApiError, callBot } from './bot-api.ts';

/** https://core.telegram.org/bots/api#sendmessage */
const TEXT_MAX = 4096;
/**
 * Telegram requests a pause when one chat, or all together, get too many messages. A message that would wait longer
 * is dropped.
 */
const PAUSE_MAX_SECONDS = 20;

export interface BotReply {
  parse_mode: ParseMode;
  reply_message: string;
}

/**
 * Sends a reply, as plain text if Telegram can't parse it in its mode.
 * @returns Telegram's parse error; empty without one
 * @throws AppError `switched-off` without a bot; BotApiError
 */
export async function sendReply(ctx: Context, chatId: number, reply: BotReply, signal?: AbortSignal): Promise<string> {
  try {
    await sendMessage(ctx, chatId, reply, signal);
    return '';
  } catch (error) {
    if (!(error instanceof BotApiError) || error.status !== 400 || reply.parse_mode === 'text') throw error;
    await sendMessage(ctx, chatId, { ...reply, parse_mode: 'text' }, signal);
    return error.reason;
  }
}

async function sendMessage(
  ctx: Context,
  chatId: number,
  reply: BotReply,
  signal: AbortSignal | undefined,
  patient = true,
): Promise<void> {
  try {
    await callBot(ctx, 'sendMessage', {
      schema: z.unknown(),
      signal,
      chat_id: chatId,
      text: truncateText(reply.reply_message),
      link_preview_options: { is_disabled: true },
      ...(reply.parse_mode === 'text' ? {} : { parse_mode: reply.parse_mode }),
    });
  } catch (error) {
    const wait = error instanceof BotApiError ? (error.retryAfterSeconds ?? 0) : 0;
    if (!patient || wait === 0 || wait > PAUSE_MAX_SECONDS) throw error;
    await sleep(ctx.clock, wait * 1000, signal);
    await sendMessage(ctx, chatId, reply, signal, false);
  }
}

function truncateText(text: string): string {
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

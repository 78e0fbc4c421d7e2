/** Calls of the Telegram Bot API, and the messages that the bot sends. */

import type { ParseMode } from '@switchyard/contract/operations/telegram';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { sleep } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { botResponse, buildBotUrl } from '../../platform/outbound/telegram-bot-api-format.ts';

/** https://core.telegram.org/bots/api#sendmessage */
const TEXT_MAX = 4096;
/**
 * Telegram requests a pause when one chat, or all together, get too many messages. A message that would wait longer
 * is dropped.
 */
const PAUSE_MAX_SECONDS = 20;

/** Refusal of a call by Telegram. The address contains the token, so errors name only the method. */
class BotApiError extends AppError {
  /** HTTP status; 0 without a readable response. */
  readonly status: number;
  /** Reason as Telegram states it. */
  readonly reason: string;
  constructor(method: string, reason: string, { status = 0, retryAfterSeconds = 0 } = {}) {
    super(
      'upstream-failed',
      `Telegram refused ${method}: ${reason}`,
      retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
    );
    this.name = 'BotApiError';
    this.status = status;
    this.reason = reason;
  }
}

/** Returns the number at the beginning of the bot's token, which is the bot's id. */
export function getBotId({ settings }: Context): string {
  return settings.telegramBotToken.split(':', 1)[0] ?? '';
}

/** @throws BotApiError, also without a valid response; AppError `switched-off` without a bot */
export async function callBot<S extends z.ZodType>(
  ctx: Context,
  method: string,
  { schema, signal, ...parameters }: Record<string, unknown> & { schema: S; signal?: AbortSignal | undefined },
): Promise<z.output<S>> {
  const token = ctx.settings.telegramBotToken;
  if (token === '') throw new AppError('switched-off', 'This site has no Telegram bot');
  let body: unknown;
  try {
    const response = await ctx.outbound.fetch(buildBotUrl(token, method), {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
      ...(signal === undefined ? {} : { signal }),
    });
    body = await response.json();
  } catch {
    throw new BotApiError(method, 'no response');
  }
  const read = botResponse.safeParse(body).data;
  if (read?.ok !== true)
    throw new BotApiError(method, read?.description ?? '', {
      status: read?.error_code ?? 0,
      retryAfterSeconds: read?.parameters?.retry_after ?? 0,
    });
  const result = schema.safeParse(read.result);
  if (!result.success) throw new BotApiError(method, 'a response in an unexpected format');
  return result.data;
}

/** https://core.telegram.org/bots/api#getme @throws BotApiError */
export async function fetchBotName(ctx: Context, signal: AbortSignal): Promise<string> {
  const { username } = await callBot(ctx, 'getMe', { schema: z.object({ username: z.string() }), signal });
  return username;
}

/** Logs a failure: a refusal by its message alone, anything else as an internal error. */
export function logFailure({ log }: Context, error: unknown, sentence: string): void {
  if (error instanceof AppError) log.warn({ reason: error.message }, sentence);
  else log.error({ err: error }, sentence);
}

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

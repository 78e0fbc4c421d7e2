/** State of the connection to Telegram in this process. */
import type { BotState } from '@switchyard/contract/operations/telegram';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';

interface BotConnection {
  /** Token of the bot that the state belongs to. */
  token: string;
  /** Without `@`. */
  name: string;
  online: boolean;
  lastContact: number;
  pending: number;
  lastError: string;
  lastErrorTime: number;
}

const connections = new WeakMap<Context, BotConnection>();

/** Returns the state for the bot whose token is currently set. */
function getConnection(ctx: Context): BotConnection {
  const token = ctx.settings.telegramBotToken;
  const known = connections.get(ctx);
  if (known?.token === token) return known;
  const contact = { token, name: '', online: false, lastContact: 0, pending: 0, lastError: '', lastErrorTime: 0 };
  connections.set(ctx, contact);
  return contact;
}

/** Returns the name without `@`; empty without a bot, or before Telegram has reported it. */
export function getBotName(ctx: Context): string {
  return getConnection(ctx).name;
}

/** @param token bot of the update; another one may be configured by now */
export function updateConnection(ctx: Context, token: string, news: Partial<Omit<BotConnection, 'token'>>): void {
  const contact = getConnection(ctx);
  if (contact.token === token) Object.assign(contact, news);
}

/** Records a response or a call of Telegram. */
export function recordContact(ctx: Context, token: string): void {
  updateConnection(ctx, token, { online: true, lastContact: nowSeconds(ctx.clock) });
}

export function recordFailure(ctx: Context, token: string, reason: string): void {
  updateConnection(ctx, token, { online: false, lastError: reason, lastErrorTime: nowSeconds(ctx.clock) });
}

export function readBotState(ctx: Context): BotState {
  const contact = getConnection(ctx);
  return {
    status: contact.online,
    is_webhook: ctx.settings.telegramWebhook,
    set_up: contact.token !== '',
    bot: contact.name,
    last_contact: contact.lastContact,
    pending: contact.pending,
    last_error: contact.lastError,
    last_error_time: contact.lastErrorTime,
  };
}

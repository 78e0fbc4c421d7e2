/** The site's Telegram bot: its subscribers, and the operator's custom commands. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { telegramCommandId } from '../ids.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';

/** Built-in commands, which operators cannot add, in the order of Telegram's list. */
export const builtInCommands = [
  'balance',
  'keys',
  'redeem',
  'recharge',
  'invite',
  'bind',
  'unbind',
  'help',
  'start',
] as const;
export type BuiltInCommand = (typeof builtInCommands)[number];

/** Maximum custom commands; Telegram shows 100 in all. */
export const COMMANDS_MAX = 100 - builtInCommands.length;

/** Parse mode of a reply: https://core.telegram.org/bots/api#formatting-options. `Markdown` is the legacy one. */
export const parseMode = z.enum(['text', 'MarkdownV2', 'Markdown', 'HTML']);
export type ParseMode = z.output<typeof parseMode>;

const reply = {
  parse_mode: parseMode.default('text'),
  /** Length in UTF-16 code units, as in Telegram. */
  reply_message: z.string().trim().min(1).max(4096),
};

/** Fields of a command: https://core.telegram.org/bots/api#botcommand */
export const commandFields = z.object({
  command: z
    .string()
    .trim()
    .regex(/^[a-z0-9_]{1,32}$/, 'Use at most 32 lowercase letters, digits and underscores')
    .refine((name) => !builtInCommands.some((known) => known === name), 'This is a built-in command of the bot'),
  description: z.string().trim().min(1).max(256),
  ...reply,
  enabled: z.boolean().default(true),
});
export type CommandFields = z.output<typeof commandFields>;

export const telegramCommand = z.object({
  id: telegramCommandId,
  command: z.string(),
  description: z.string(),
  parse_mode: parseMode,
  reply_message: z.string(),
  enabled: z.boolean(),
});
export type TelegramCommand = z.output<typeof telegramCommand>;

const botState = z.object({
  /** True if the bot receives messages. */
  status: z.boolean(),
  is_webhook: z.boolean(),
  /** True if a token is set. */
  set_up: z.boolean(),
  /** Name without `@`; empty until Telegram has reported it. */
  bot: z.string(),
  /** Time of Telegram's last response or call; 0: not since the start. */
  last_contact: seconds,
  /** Undelivered messages at Telegram. */
  pending: z.int(),
  /** Last error in Telegram's words; empty when there was none. */
  last_error: z.string(),
  /** 0: unknown. */
  last_error_time: seconds,
});
export type BotState = z.output<typeof botState>;

const byId = z.object({ id: telegramCommandId });

export const telegram = routes({
  get: {
    method: 'GET',
    path: '/api/user/telegram',
    access: 'user',
    summary: "Retrieve the site's Telegram bot and your connected Telegram account",
    answer: z.object({
      /** Name without `@`; empty without one. */
      bot: z.string(),
      bound: z.object({ label: z.string(), created_time: seconds }).nullable(),
    }),
  },
  begin: {
    method: 'POST',
    path: '/api/user/telegram/code',
    access: 'user',
    stepUp: true,
    summary: 'Create a one-time code that connects the Telegram account that sends it to the bot within ten minutes',
    answer: z.object({ code: z.string(), link: z.url() }),
  },
  unbind: {
    method: 'DELETE',
    path: '/api/user/telegram',
    access: 'user',
    stepUp: true,
    summary: 'Disconnect your Telegram account',
    answer: emptyData,
  },
  status: {
    method: 'GET',
    path: '/api/option/telegram/status',
    access: 'root',
    summary: 'Retrieve the connection status of the Telegram bot',
    answer: botState,
  },
  list: {
    method: 'GET',
    path: '/api/option/telegram',
    access: 'root',
    summary: "List the operator's bot commands in menu order",
    query: listQuery(['id', 'command'], {
      /** Prefix of a command. */
      keyword: z.string().max(32).optional(),
    }),
    answer: paged(telegramCommand),
  },
  save: {
    method: 'POST',
    path: '/api/option/telegram',
    access: 'root',
    summary: 'Add a bot command at the end, or update the one with this ID',
    /** 0 creates a command. */
    body: commandFields.extend({ id: z.union([z.literal(0), telegramCommandId]).default(0) }),
    answer: telegramCommand,
  },
  move: {
    method: 'PUT',
    path: '/api/option/telegram/:id/move',
    access: 'root',
    summary: 'Move a bot command up or down by one',
    params: byId,
    body: z.object({ to: z.enum(['up', 'down']) }),
    answer: emptyData,
  },
  remove: {
    method: 'DELETE',
    path: '/api/option/telegram/:id',
    access: 'root',
    summary: 'Delete a bot command',
    params: byId,
    answer: emptyData,
  },
  reload: {
    method: 'PUT',
    path: '/api/option/telegram/reload',
    access: 'root',
    summary: 'Send the commands to Telegram for the menu of the bot',
    answer: emptyData,
  },
  test: {
    method: 'POST',
    path: '/api/option/telegram/test',
    access: 'root',
    summary: "Send a test reply to the caller's Telegram account",
    body: z.object(reply),
    answer: z.object({
      /**
       * Telegram's error in the chosen parse mode, after which the message was sent as plain text; empty without an
       * error.
       */
      plain_because: z.string(),
    }),
  },
});

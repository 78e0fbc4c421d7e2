/** Custom commands of the bot, and the command list that Telegram shows. */
import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { TelegramCommandId } from '@switchyard/contract/ids';
import {
  builtInCommands,
  COMMANDS_MAX,
  type CommandFields,
  type TelegramCommand,
  type telegram,
} from '@switchyard/contract/operations/telegram';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { telegramTexts } from '../../locales/server-texts.ts';
import { AppError, alreadyExists, notFound } from '../../platform/http/app-error.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { type BotReply, callBot } from './bot-api.ts';
import type { TelegramMenuTable } from './table.ts';

type ListQuery = RouteInput<(typeof telegram)['list']>['query'];

export function listCommands(ctx: Context, { keyword, ...page }: ListQuery): Promise<Page<TelegramCommand>> {
  let query = ctx.db.reader.selectFrom('telegram_menu').selectAll();
  if (keyword !== undefined) query = query.where(startsWith('command', keyword.replace(/^\//, '')));
  return readPage(query, page, {
    columns: { id: 'id', command: 'command', position: 'position' },
    fallback: 'position',
    tieBreak: 'id',
    present,
  });
}

/** @throws AppError `not-found` */
export async function getCommand(ctx: Context, id: TelegramCommandId): Promise<TelegramCommand> {
  const row = await ctx.db.writer.selectFrom('telegram_menu').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('command', id);
  return present(row);
}

/**
 * Appends a command to the menu.
 * @throws AppError `already-exists` at the field, `conflict` when there are too many
 */
export function addCommand(ctx: Context, fields: CommandFields): Promise<TelegramCommand> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    const others = await trx.selectFrom('telegram_menu').select(['command', 'position']).execute();
    if (others.length >= COMMANDS_MAX)
      throw new AppError(
        'conflict',
        `You have reached the limit of ${COMMANDS_MAX} commands that Telegram allows. Delete one first.`,
      );
    if (others.some(({ command }) => command === fields.command)) throw commandExistsError(fields.command);
    const position = Math.max(0, ...others.map((other) => other.position)) + 1;
    const row = await trx
      .insertInto('telegram_menu')
      .values({ ...fields, enabled: Number(fields.enabled), position })
      .returningAll()
      .executeTakeFirstOrThrow();
    return present(row);
  });
}

/** @throws AppError `not-found`, or `already-exists` at the field */
export function updateCommand(ctx: Context, id: TelegramCommandId, fields: CommandFields): Promise<TelegramCommand> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    const other = await trx
      .selectFrom('telegram_menu')
      .select('id')
      .where('command', '=', fields.command)
      .where('id', '<>', id)
      .executeTakeFirst();
    if (other !== undefined) throw commandExistsError(fields.command);
    const row = await trx
      .updateTable('telegram_menu')
      .set({ ...fields, enabled: Number(fields.enabled) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notFound('command', id);
    return present(row);
  });
}

/** Moves a command by one place; does nothing at the ends. @throws AppError `not-found` */
export function moveCommand(ctx: Context, id: TelegramCommandId, to: 'up' | 'down'): Promise<void> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    const rows = await trx.selectFrom('telegram_menu').select(['id', 'position']).orderBy('position').execute();
    const at = rows.findIndex((row) => row.id === id);
    const [own, other] = [rows[at], rows[to === 'up' ? at - 1 : at + 1]];
    if (own === undefined) throw notFound('command', id);
    if (other === undefined) return;
    for (const [row, position] of [
      [own, other.position],
      [other, own.position],
    ] as const)
      await trx.updateTable('telegram_menu').set({ position }).where('id', '=', row.id).execute();
  });
}

/** @throws AppError `not-found` */
export async function removeCommand(ctx: Context, id: TelegramCommandId): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer.deleteFrom('telegram_menu').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('command', id);
}

/** Finds the reply to a custom command. */
export function findReply(ctx: Context, command: string): Promise<BotReply | undefined> {
  return ctx.db.writer
    .selectFrom('telegram_menu')
    .select(['parse_mode', 'reply_message'])
    .where('command', '=', command)
    .where('enabled', '=', 1)
    .executeTakeFirst();
}

/** Lists the enabled commands in order. */
export function listEnabledCommands(ctx: Context): Promise<{ command: string; description: string }[]> {
  return ctx.db.writer
    .selectFrom('telegram_menu')
    .select(['command', 'description'])
    .where('enabled', '=', 1)
    .orderBy('position')
    .execute();
}

/**
 * Sends the command list for private chats to Telegram: https://core.telegram.org/bots/api#setmycommands
 * @throws BotApiError; AppError `switched-off` without a bot
 */
export async function pushCommands(ctx: Context, signal?: AbortSignal): Promise<void> {
  const site = ctx.settings.language;
  const added = await listEnabledCommands(ctx);
  // Telegram does not distinguish Chinese variants.
  const chinese = site === 'zh_HK' ? 'zh_HK' : 'zh_CN';
  for (const [code, language] of [
    ['', site],
    ['en', 'en_US'],
    ['zh', chinese],
    ['ja', 'ja_JP'],
  ] as const)
    await callBot(ctx, 'setMyCommands', {
      schema: z.unknown(),
      signal,
      commands: [...listBuiltInCommands(language), ...added],
      scope: { type: 'all_private_chats' },
      ...(code === '' ? {} : { language_code: code }),
    });
}

/** Lists the built-in commands except `start`, which has its own button. */
export function listBuiltInCommands(language: Language): { command: string; description: string }[] {
  const { descriptions } = telegramTexts[language];
  return builtInCommands.flatMap((command) =>
    command === 'start' ? [] : [{ command, description: descriptions[command] }],
  );
}

function commandExistsError(command: string): AppError {
  return alreadyExists('command', `The command /${command} already exists`);
}

function present(row: Selectable<TelegramMenuTable>): TelegramCommand {
  return {
    id: row.id as TelegramCommandId,
    ...pickFields(row, ['command', 'description', 'parse_mode', 'reply_message']),
    enabled: row.enabled === 1,
  };
}

/**
 * Stores conversations of the playground until their users delete them or the configured time is over. Each belongs
 * to a user; no other user can read it, regardless of role.
 */

import type { ConversationId } from '@switchyard/contract/ids';
import type { ConversationContent } from '@switchyard/contract/playground/conversation';
import {
  CONVERSATION_BYTES_MAX,
  CONVERSATIONS_MAX,
  type ListedConversation,
  type playground,
} from '@switchyard/contract/playground/playground';
import type { Page, RouteInput, RouteResponse } from '@switchyard/contract/route';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Database } from '../db/open-database.ts';
import { contains, readPage } from '../db/paging.ts';
import { pluckIds, processRowsInChunks, selectByteSize } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import { AppError, notFound } from '../platform/http/app-error.ts';
import type { Caller } from '../platform/http/caller.ts';
import type { Schema } from '../schema.ts';

/** Maximum size of what is stored for a user. */
const USER_MEBIBYTES_MAX = 128;
const DAY_SECONDS = 86_400;

type Routes = typeof playground;
const listed = ['id', 'title', 'version', 'created_time', 'updated_time'] as const;
const columns = { updated_time: 'updated_time', title: 'title' };

interface ListedRow {
  id: number;
  title: string;
  version: number;
  created_time: number;
  updated_time: number;
}

export function listConversations(
  ctx: Context,
  { userId }: Caller,
  filter: RouteInput<Routes['listConversations']>['query'],
): Promise<Page<ListedConversation>> {
  let query = ctx.db.reader.selectFrom('conversation').select(listed).where('user_id', '=', userId);
  if (filter.keyword !== undefined) query = query.where(contains('title', filter.keyword));
  return readPage(query, filter, { columns, fallback: '-updated_time', tieBreak: 'id', present });
}

/**
 * Returns JSON of the conversation, because parsing and serializing its content would take longer than reading it.
 * @throws AppError `not-found`, also for another user's conversation
 */
export async function readConversation(ctx: Context, { userId }: Caller, id: ConversationId): Promise<string> {
  const row = await ctx.db.reader
    .selectFrom('conversation')
    .select([...listed, 'content'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('conversation', id);
  return serializeConversation(present(row), row.content);
}

/** @throws AppError `switched-off`, `too-large`, or `conflict` if the user has too many */
export async function createConversation(
  ctx: Context,
  { userId }: Caller,
  { title, content }: RouteInput<Routes['createConversation']>['body'],
): Promise<ListedConversation> {
  const text = serializeContent(ctx, content);
  const now = nowSeconds(ctx.clock);
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    if ((await checkStorageQuota(trx, userId, text)) >= CONVERSATIONS_MAX)
      throw tooManyConversationsError(`${CONVERSATIONS_MAX} stored conversations`);
    return trx
      .insertInto('conversation')
      .values({ user_id: userId, title, version: 1, created_time: now, updated_time: now, content: text })
      .returning(listed)
      .executeTakeFirstOrThrow();
  });
  return present(row);
}

/**
 * @throws AppError `conflict` if another version was saved or the storage is full, `not-found`, `switched-off`, or
 * `too-large`
 */
export async function saveConversation(
  ctx: Context,
  { userId }: Caller,
  id: ConversationId,
  { version, content }: RouteInput<Routes['saveConversation']>['body'],
): Promise<ListedConversation> {
  const text = serializeContent(ctx, content);
  return ctx.db.writer.transaction().execute(async (trx) => {
    const own = await trx
      .selectFrom('conversation')
      .select('version')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (own === undefined) throw notFound('conversation', id);
    if (own.version !== version)
      throw new AppError('conflict', 'The conversation has been changed in the meantime. Reload it.');
    await checkStorageQuota(trx, userId, text, id);
    const row = await trx
      .updateTable('conversation')
      .set({ content: text, version: version + 1, updated_time: nowSeconds(ctx.clock) })
      .where('id', '=', id)
      .returning(listed)
      .executeTakeFirstOrThrow();
    return present(row);
  });
}

/** @throws AppError `not-found` */
export async function renameConversation(
  ctx: Context,
  { userId }: Caller,
  id: ConversationId,
  title: string,
): Promise<ListedConversation> {
  const row = await ctx.db.writer
    .updateTable('conversation')
    .set({ title })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(listed)
    .executeTakeFirst();
  if (row === undefined) throw notFound('conversation', id);
  return present(row);
}

/** @throws AppError `not-found` */
export async function removeConversation(ctx: Context, { userId }: Caller, id: ConversationId): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('conversation')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('conversation', id);
}

/** @returns the number of removed conversations */
export function removeConversations({ db }: Pick<Context, 'db'>, userId: number): Promise<number> {
  return removeRows(db, (conversations) => conversations.where('user_id', '=', userId));
}

type Conversations = SelectQueryBuilder<Schema, 'conversation', object>;

function removeRows(
  db: Database,
  which: (conversations: Conversations) => Conversations,
  stopping?: AbortSignal,
): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => which(trx.selectFrom('conversation')).select(['id', selectByteSize('content')]),
    (trx, conversations) => trx.deleteFrom('conversation').where('id', 'in', pluckIds(conversations)).execute(),
    stopping,
  );
}

/** Yields all conversations of a user as JSON, one at a time. */
export async function* exportConversations(ctx: Context, { userId }: Caller): AsyncGenerator<string[]> {
  for (let last = 0; ; ) {
    const row = await ctx.db.reader
      .selectFrom('conversation')
      .select(['id', 'title', 'created_time', 'updated_time', 'content'])
      .where('user_id', '=', userId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return;
    const { id, content, ...rest } = row;
    yield [serializeConversation(rest, content)];
    last = id;
  }
}

function serializeConversation(rest: object, content: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"content":${content}}`;
}

/** Removes conversations that were not changed within the configured time. @returns their number */
export async function removeStaleConversations(
  { db, clock, settings }: Context,
  stopping?: AbortSignal,
): Promise<number> {
  if (settings.conversationDays === 0) return 0;
  const before = nowSeconds(clock) - settings.conversationDays * DAY_SECONDS;
  return removeRows(db, (conversations) => conversations.where('updated_time', '<=', before), stopping);
}

function serializeContent(ctx: Context, content: ConversationContent): string {
  if (!ctx.settings.keepConversations) throw new AppError('switched-off', 'This site does not store conversations');
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) > CONVERSATION_BYTES_MAX)
    throw new AppError(
      'too-large',
      `The conversation is larger than ${CONVERSATION_BYTES_MAX} bytes and cannot be stored`,
    );
  return text;
}

/** @returns the number of the user's other conversations @throws AppError `conflict` if the storage is full */
async function checkStorageQuota(
  db: Kysely<Schema>,
  userId: number,
  text: string,
  except?: ConversationId,
): Promise<number> {
  let others = db
    .selectFrom('conversation')
    .select([sql<number>`count(*)`.as('count'), sql<number>`coalesce(sum(octet_length(content)), 0)`.as('bytes')])
    .where('user_id', '=', userId);
  if (except !== undefined) others = others.where('id', '<>', except);
  const { count, bytes } = await others.executeTakeFirstOrThrow();
  if (bytes + Buffer.byteLength(text) > USER_MEBIBYTES_MAX * 1_048_576)
    throw tooManyConversationsError(`${USER_MEBIBYTES_MAX} MiB of stored conversations`);
  return count;
}

const tooManyConversationsError = (limit: string) =>
  new AppError('conflict', `You have reached the limit of ${limit}. Delete some first.`);

function present({ id, title, version, created_time, updated_time }: ListedRow): ListedConversation {
  return { id: id as ConversationId, title, version, created_time, updated_time };
}

/** Returns the cost of a request; null until it is settled, and for requests of other users. */
export async function readRequestCost(
  ctx: Context,
  caller: Caller,
  requestId: string,
): Promise<RouteResponse<(typeof playground)['record']>> {
  // By the request alone: with a condition on the user, SQLite may read all records of the user.
  const rows = await ctx.db.writer
    .selectFrom('usage_record')
    .select(['user_id', 'type', 'quota', 'prompt_tokens', 'completion_tokens', 'duration_ms', 'first_byte_ms'])
    .where('request_id', '=', requestId)
    .execute();
  const row = rows.find(({ user_id, type }) => user_id === caller.userId && type === 'consume');
  if (row === undefined) return null;
  const { user_id: _user, type: _type, duration_ms, first_byte_ms, ...counts } = row;
  return { ...counts, request_time: duration_ms, first_byte_time: first_byte_ms };
}

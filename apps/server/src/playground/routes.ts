import type { playground } from '@switchyard/contract/playground/playground';
import type { RouteResponse } from '@switchyard/contract/route';
import type { Context } from '../context.ts';
import type { Caller } from '../platform/http/caller.ts';
import type { Handlers } from '../platform/http/mount-routes.ts';
import {
  createConversation,
  listConversations,
  readConversation,
  removeConversation,
  removeConversations,
  renameConversation,
  saveConversation,
} from './playground.ts';

export const playgroundRoutes = (ctx: Context): Handlers<typeof playground> => ({
  record: ({ params }, { caller }) => readRequestCost(ctx, caller, params.request_id),
  listConversations: ({ query }, { caller }) => listConversations(ctx, caller, query),
  readConversation: ({ params }, { caller }) => readConversation(ctx, caller, params.id),
  createConversation: ({ body }, { caller }) => createConversation(ctx, caller, body),
  saveConversation: ({ params, body }, { caller }) => saveConversation(ctx, caller, params.id, body),
  renameConversation: ({ params, body }, { caller }) => renameConversation(ctx, caller, params.id, body.title),
  removeConversation: ({ params }, { caller }) => removeConversation(ctx, caller, params.id),
  removeConversations: (_input, { caller }) => removeConversations(ctx, caller.userId),
});

/** Returns the cost of a request; null until it is settled, and for requests of other users. */
async function readRequestCost(
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

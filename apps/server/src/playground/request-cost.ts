import type { playground } from '@switchyard/contract/playground/playground';
import type { RouteResponse } from '@switchyard/contract/route';
import type { Context } from '../context.ts';
import type { Caller } from '../platform/http/caller.ts';

/** Returns the cost of a request; null until it is settled, and for requests of other users. */
export async function readRequestCost(
  ctx: Context,
  caller: Caller,
  requestId: string,
): Promise<RouteResponse<(typeof playground)['record']>> {
  const row = await ctx.db.writer
    .selectFrom('usage_record')
    .select(['quota', 'prompt_tokens', 'completion_tokens', 'duration_ms', 'first_byte_ms'])
    .where('request_id', '=', requestId)
    .where('user_id', '=', caller.userId)
    .where('type', '=', 'consume')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { duration_ms, first_byte_ms, ...counts } = row;
  return { ...counts, request_time: duration_ms, first_byte_time: first_byte_ms };
}

/** What an answer in the playground cost; the answer itself is the gateway's. */
import type { playground } from '@switchyard/contract/playground';
import type { RouteAnswer } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';

/** Null while the call is not settled, and for other people's calls. */
export async function costOfAnswer(
  ctx: Context,
  caller: Caller,
  requestId: string,
): Promise<RouteAnswer<(typeof playground)['record']>> {
  const row = await ctx.db.writer
    .selectFrom('usage_record')
    .select(['quota', 'prompt_tokens', 'completion_tokens', 'duration_ms', 'first_byte_ms', 'user_id'])
    .where('request_id', '=', requestId)
    .where('type', '=', 'consume')
    .executeTakeFirst();
  if (row === undefined || row.user_id !== caller.userId) return null;
  return {
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    request_time: row.duration_ms,
    first_byte_time: row.first_byte_ms,
  };
}

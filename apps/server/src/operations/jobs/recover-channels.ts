import { listAutoDisabledKeys, mustStayDisabled, recoverChannel } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';

/** Re-enables each auto-disabled channel and key that is usable again, if the settings allow it. */
export async function recoverChannels(ctx: Context): Promise<void> {
  if (!ctx.settings.automaticEnableChannel) return;
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select('id')
    .where('status', '=', 'auto-disabled')
    .where('deleted_time', 'is', null)
    .execute();
  for (const { id } of channels) if (!(await mustStayDisabled(ctx, id))) await recoverAndLog(ctx, id);
  for (const { channelId, keyId } of await listAutoDisabledKeys(ctx))
    if (!(await mustStayDisabled(ctx, channelId))) await recoverAndLog(ctx, channelId, keyId);
}

/** Logs a failed test instead of throwing, so that it does not prevent the others. */
async function recoverAndLog(ctx: Context, channel: number, key?: string): Promise<void> {
  try {
    const recovery = await recoverChannel(ctx, channel, key);
    ctx.log.info({ channel, key, ...recovery }, 'tested an auto-disabled channel or key');
  } catch (error) {
    ctx.log.error({ err: error, channel, key }, 'an auto-disabled channel or key could not be tested');
  }
}

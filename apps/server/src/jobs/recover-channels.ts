import type { Context } from '../context.ts';
import { isHeldOut, keysTakenOut, testChannel } from '../features/channels/channels.ts';

/** Tests each channel and key that the gateway took out; one that answers comes back, if the settings say so. */
export async function recoverChannels(ctx: Context): Promise<void> {
  if (!ctx.settings.automaticEnableChannel) return;
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'name'])
    .where('status', '=', 'auto-disabled')
    .where('deleted_time', 'is', null)
    .execute();
  for (const { id, name } of channels) {
    if (await isHeldOut(ctx, id)) continue;
    const result = await resultOf(testChannel(ctx, id));
    ctx.log.info({ channel: id, name, ...result }, 'tested a channel that was taken out');
  }
  for (const { channelId, keyId } of await keysTakenOut(ctx)) {
    if (await isHeldOut(ctx, channelId)) continue;
    const result = await resultOf(testChannel(ctx, channelId, undefined, keyId));
    ctx.log.info({ channel: channelId, key: keyId, ...result }, 'tested a key that was taken out');
  }
}

/** One that cannot be tested, for want of a model, does not keep the others from it. */
async function resultOf(test: ReturnType<typeof testChannel>): Promise<{ success: boolean; reason: string }> {
  try {
    const { success, message } = await test;
    return { success, reason: message };
  } catch (error) {
    return { success: false, reason: error instanceof Error ? error.message : 'failed' };
  }
}

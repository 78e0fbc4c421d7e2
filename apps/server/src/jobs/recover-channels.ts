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
    const { success, message } = await testChannel(ctx, id);
    ctx.log.info({ channel: id, name, success, reason: message }, 'tested a channel that was taken out');
  }
  for (const { channelId, keyId } of await keysTakenOut(ctx)) {
    const { success, message } = await testChannel(ctx, channelId, undefined, keyId);
    ctx.log.info(
      { channel: channelId, key: keyId, success, reason: message },
      'tested a key that was taken out',
    );
  }
}

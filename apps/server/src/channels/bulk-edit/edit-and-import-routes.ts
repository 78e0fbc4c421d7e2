import type { ChannelChange, channelEdits } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { Context } from '../../context.ts';
import { audit, auditFirst } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { exportChannels } from '../import/export-channels.ts';
import { importChannels } from '../import/import-channels.ts';
import { editChannels, listRanks, listTags } from './edit-channels.ts';

export const channelEditRoutes = (ctx: Context): Handlers<typeof channelEdits> => ({
  edit: async ({ body }, call) => {
    const { result, ids } = await editChannels(ctx, body, call.caller.userId);
    if (!body.dry_run)
      await audit(ctx, call, {
        action: 'channel.edit',
        target: 'channel',
        detail: { where: body.where, change: redactChange(body.change), changed: ids },
      });
    return result;
  },
  tags: () => listTags(ctx),
  ranks: () => listRanks(ctx),
  export: async ({ body }, call) => {
    const file = await exportChannels(ctx, body.where, false);
    await auditFirst(ctx, call, {
      action: 'channel.export',
      target: 'channel',
      detail: { where: body.where, count: file.channels.length },
    });
    return file;
  },
  exportWithSecrets: async ({ body }, call) => {
    const file = await exportChannels(ctx, body.where, true);
    await auditFirst(ctx, call, {
      action: 'channel.export-secrets',
      target: 'channel',
      detail: { where: body.where, count: file.channels.length },
    });
    return file;
  },
  import: async ({ body }, call) => {
    const result = await importChannels(ctx, body, call.caller.userId);
    if (!body.dry_run) {
      const named = (outcome: string): string[] =>
        result.items.flatMap((item) => (item.outcome === outcome ? [item.name] : []));
      const paths = result.items.flatMap(({ changes }) => changes.map(({ path }) => path));
      const fields = [...new Set(paths)];
      await audit(ctx, call, {
        action: 'channel.import',
        target: 'channel',
        detail: { source: result.source, created: named('new'), changed: named('changed'), fields },
      });
    }
    return result;
  },
});

/** Returns the details of a change for the audit log, without its secrets. */
function redactChange({ proxy, model_headers: headers, ...change }: ChannelChange) {
  return {
    ...change,
    ...(proxy === undefined ? {} : { proxy: proxy === '' ? '' : 'new' }),
    ...(headers === undefined
      ? {}
      : {
          model_headers: {
            replace: headers.replace && Object.keys(headers.replace),
            set: headers.set && Object.keys(headers.set),
            remove: headers.remove,
          },
        }),
  };
}

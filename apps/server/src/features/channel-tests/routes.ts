import type { channelTests } from '@switchyard/contract/channel-tests';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { audit } from '../audit/audit.ts';
import { historyOfChannel, statusPage } from '../channel-history/channel-history.ts';
import { estimateTests, listResults, startTests } from './channel-tests.ts';
import { listRuns } from './run-lease.ts';
import { estimateSchedule } from './scheduled-tests.ts';

export const channelTestRoutes = (ctx: Context): Handlers<typeof channelTests> => ({
  run: async ({ body }, call) => {
    const events = await startTests(ctx, body, call.gone());
    await audit(ctx, call, { action: 'channel.test', target: 'channel', detail: body });
    return events;
  },
  estimate: ({ body }) => estimateTests(ctx, body),
  estimateSchedule: ({ body }) => estimateSchedule(ctx, body),
  runs: () => listRuns(ctx),
  results: ({ params }) => listResults(ctx, params.id),
  history: ({ params }) => historyOfChannel(ctx, params.id),
  statusPage: () => statusPage(ctx),
});

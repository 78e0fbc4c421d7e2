import type { channelTests } from '@switchyard/contract/channels/channel-tests';
import type { Context } from '../../context.ts';
import { auditFirst } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { readChannelHistory, readStatusPage } from '../attempt-stats/attempt-stats.ts';
import { estimateTests, listTestResults, startTests } from './channel-tests.ts';
import { listRuns } from './scheduled-test-runs.ts';
import { estimateSchedule } from './scheduled-tests.ts';

/** Rate limit of the public status page: serializing hundreds of models takes milliseconds. */
const PAGES_PER_ADDRESS = 60;
const PAGES_WINDOW_MS = 60_000;

export function channelTestRoutes(ctx: Context): Handlers<typeof channelTests> {
  const pages = createAddressLimit(ctx, 'status pages', PAGES_PER_ADDRESS, PAGES_WINDOW_MS);
  return {
    run: async ({ body }, call) => {
      const events = await startTests(ctx, body, call.getAbortSignal());
      await auditFirst(ctx, call, { action: 'channel.test', target: 'channel', detail: body });
      return events;
    },
    estimate: ({ body }) => estimateTests(ctx, body),
    estimateSchedule: ({ body }) => estimateSchedule(ctx, body),
    runs: () => listRuns(ctx),
    results: ({ params }) => listTestResults(ctx, params.id),
    history: ({ params }) => readChannelHistory(ctx, params.id),
    statusPage: async (_nothing, { address }) => {
      await pages.consume(address);
      return readStatusPage(ctx);
    },
  };
}

import type { systemInfo } from '@switchyard/contract/operations/system-info';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { audit } from '../audit/audit.ts';
import { listJobs, runJobNow } from '../scheduler/scheduler.ts';
import { readSystem } from './system-info.ts';

/** Maximum duration of a log stream; the client then reconnects, which checks its permission again. */
const LOG_STREAM_MS = 60_000;

/** @param gateway counts the requests with a concurrency slot */
export const systemInfoRoutes = (ctx: Context, gateway: { readonly running: number }): Handlers<typeof systemInfo> => ({
  get: () => readSystem(ctx, gateway.running),
  followLog: async ({ body }, call) =>
    ctx.logTail.follow(body.after, AbortSignal.any([call.getAbortSignal(), AbortSignal.timeout(LOG_STREAM_MS)])),
  logFile: (_nothing, call) => {
    call.setFileName(`switchyard-${new Date(ctx.clock.now()).toISOString().slice(0, 19)}.log`);
    return ctx.logTail.text();
  },
  jobs: () => listJobs(ctx),
  runJob: async ({ params }, call) => {
    const job = await runJobNow(ctx, params.name);
    await audit(ctx, call, { action: 'job.run', target: params.name });
    return job;
  },
});

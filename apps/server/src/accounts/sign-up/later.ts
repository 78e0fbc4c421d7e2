import type { Context } from '../../context.ts';

const DELAY_MAX_MS = 500;

/**
 * Does what must not be seen in the answer's time. It begins at a random moment, so that the calls after it tell nothing
 * either. A failure is logged: whoever called has their answer.
 */
export function runAfterRandomDelay(ctx: Context, work: () => Promise<void>): void {
  const run = (): void => {
    work().catch((error: unknown) => ctx.log.error({ err: error }, 'a mail could not be queued'));
  };
  ctx.clock.after(Math.random() * DELAY_MAX_MS, run).unref();
}

/**
 * Claims batches for this node. All batches of a user run on one node, so that the user's concurrency limit holds.
 * The lease of a dead node expires and frees them.
 */

import { existsSync } from 'node:fs';
import type { Context } from '../context.ts';
import type { Lease } from '../db/leases.ts';
import { nowSeconds } from '../platform/clock.ts';
import { filePath } from './batch-files.ts';
import { listOpenBatches, type OpenBatch } from './batch-store.ts';

type ClaimContext = Pick<Context, 'config' | 'db' | 'clock' | 'leases'>;

export interface ClaimedBatch {
  batch: OpenBatch;
  /** Lease of the batch's user; lost when another node may continue. */
  lease: Lease;
}

export interface BatchClaims {
  /** Returns the open batches that this node may start now. */
  claim(open: readonly OpenBatch[], isRunning: (id: string) => boolean): Promise<ClaimedBatch[]>;
  /** Releases the leases of users without running batches. */
  releaseIdle(isBusy: (userId: number) => boolean): Promise<void>;
}

export function createBatchClaims(ctx: ClaimContext): BatchClaims {
  const held = new Map<number, Lease>();
  const nameOf = (userId: number): string => `batches:${userId}`;
  return {
    async claim(open, isRunning) {
      for (const [userId, { lost }] of held) if (lost.aborted) held.delete(userId);
      const waiting = await selectReadableBatches(
        ctx,
        open.filter(({ id }) => !isRunning(id)),
      );
      const users = new Map(
        waiting.filter(({ user_id }) => !held.has(user_id)).map(({ user_id }) => [nameOf(user_id), user_id]),
      );
      const taken = await ctx.leases.acquire([...users.keys()]);
      for (const lease of taken) {
        const userId = users.get(lease.name);
        if (userId !== undefined) held.set(userId, lease);
      }
      // The previous holder of the lease may have made progress since the rows were read.
      const known = taken.length > 0 && ctx.leases.isShared ? await listOpenBatches(ctx) : open;
      const ids = new Set(waiting.map(({ id }) => id));
      return known.flatMap((batch) => {
        const lease = held.get(batch.user_id);
        return lease !== undefined && ids.has(batch.id) ? [{ batch, lease }] : [];
      });
    },
    async releaseIdle(isBusy) {
      const idle = [...held].filter(([userId]) => !isBusy(userId));
      for (const [userId] of idle) held.delete(userId);
      await Promise.all(idle.map(([, lease]) => lease.release()));
    },
  };
}

/**
 * Returns the batches whose file this node can read. A batch that is late or cancelled, or whose file no node has,
 * may be ended by any node.
 */
async function selectReadableBatches(ctx: ClaimContext, batches: readonly OpenBatch[]): Promise<readonly OpenBatch[]> {
  if (!ctx.leases.isShared) return batches;
  const now = nowSeconds(ctx.clock);
  const away = batches.filter(
    ({ input_file_id, expires_at, status }) =>
      expires_at > now && status !== 'cancelling' && !existsSync(filePath(ctx, input_file_id)),
  );
  if (away.length === 0) return batches;
  const rows = await ctx.db.writer
    .selectFrom('batch_file')
    .select('id')
    .where(
      'id',
      'in',
      away.map(({ input_file_id }) => input_file_id),
    )
    .execute();
  const elsewhere = new Set(rows.map(({ id }) => id));
  const unreadable = new Set(away.filter(({ input_file_id }) => elsewhere.has(input_file_id)));
  return batches.filter((batch) => !unreadable.has(batch));
}

/** Limits the concurrent requests of a user across all batches. */
export class UserConcurrencyLimiter {
  readonly #most: () => number;
  readonly #users = new Map<number, { running: number; waiting: (() => void)[] }>();

  constructor(most: () => number) {
    this.#most = most;
  }

  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const user = this.#users.get(userId) ?? { running: 0, waiting: [] };
    this.#users.set(userId, user);
    if (user.running >= this.#most()) await new Promise<void>((resolve) => user.waiting.push(resolve));
    else user.running += 1;
    try {
      return await work();
    } finally {
      const next = user.running > this.#most() ? undefined : user.waiting.shift();
      if (next !== undefined) next();
      else user.running -= 1;
      if (user.running === 0) this.#users.delete(userId);
    }
  }
}

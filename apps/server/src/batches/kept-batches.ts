/** Retention of batches: removes those that expired or whose owner leaves. */
import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { readPages } from '../platform/read-pages.ts';
import type { Schema } from '../schema.ts';
import { removeExpiredFiles } from './batch-files.ts';
import { eachUnanswered, removeLines } from './batch-store.ts';

const DAY_SECONDS = 86_400;
const REMOVED_MAX = 1_000;
/** A batch has up to 8 KB of metadata. */
const EXPORTED = { size: 100, most: 10_000 };

interface Last {
  created_at: number;
  id: string;
}

/** Batches that ended so many days ago as the settings say, files whose time is over, and what belongs to none. */
export async function removeOldBatches(ctx: Context): Promise<void> {
  const before = nowSeconds(ctx.clock) - ctx.settings.batchDays * DAY_SECONDS;
  await ctx.db.writer
    .deleteFrom('batch')
    .where('id', 'in', (eb) =>
      eb.selectFrom('batch').select('id').where('ended_at', '<=', before).limit(REMOVED_MAX),
    )
    .execute();
  await removeExpiredFiles(ctx);
  const left = await ctx.db.writer
    .selectFrom('batch_line')
    .select('batch_id')
    .distinct()
    .where('batch_id', 'not in', (eb) => eb.selectFrom('batch').select('id').where('ended_at', 'is', null))
    .execute();
  for (const { batch_id } of left) {
    // Of lines that a vendor was to answer, when their owner left.
    await eachUnanswered(ctx, batch_id, async (requestId) => {
      await ctx.ledger.resume(requestId);
      ctx.ledger.void(requestId);
    });
    await removeLines(ctx, batch_id);
  }
}

/**
 * Removes the batches of a deleted user. Those that still run fail with the keys; bytes and responses go with the next
 * `removeOldBatches`.
 */
export async function removeBatchesOf(trx: Transaction<Schema>, userId: number): Promise<void> {
  await trx.deleteFrom('batch').where('user_id', '=', userId).execute();
  await trx.deleteFrom('batch_file').where('user_id', '=', userId).execute();
}

/** Yields what is stored about a user's batches, for themselves; the newest first. */
export function exportBatches({ db }: Pick<Context, 'db'>, userId: number) {
  return readPages(EXPORTED, (last: Last | undefined, size) => {
    let query = db.reader
      .selectFrom('batch')
      .select(['id', 'endpoint', 'model', 'status', 'metadata', 'total', 'completed', 'failed', 'created_at'])
      .where('user_id', '=', userId);
    if (last !== undefined)
      query = query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(last.created_at, last.id)),
      );
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).execute();
  });
}

/** Yields what is stored about the files of a user's batches; the newest first. */
export function exportBatchFiles({ db }: Pick<Context, 'db'>, userId: number) {
  return readPages(EXPORTED, (last: Last | undefined, size) => {
    let query = db.reader
      .selectFrom('batch_file')
      .select(['id', 'purpose', 'filename', 'bytes', 'created_at', 'expires_at'])
      .where('user_id', '=', userId);
    if (last !== undefined)
      query = query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(last.created_at, last.id)),
      );
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).execute();
  });
}

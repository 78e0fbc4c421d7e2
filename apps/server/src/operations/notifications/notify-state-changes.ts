/** Records the conditions that were already notified, so that each is notified once when it begins. */
import type { NotificationEvent } from '@switchyard/contract/operations/notifications';
import { type Expression, sql, type Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { CHUNK_ROWS, processItemsInChunks, runInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

/** Limit per run, because many systems may fail at once; the rest is notified in the next run. */
const PER_RUN = 100;
/** Maximum notifications of a chunk, each of which takes up to a millisecond. */
export const NOTIFICATIONS_PER_CHUNK = 10;

interface Condition {
  event: NotificationEvent;
  /** Query of the subjects for which the condition holds now. */
  subjects: Expression<{ subject: string }>;
  /** Time for which it must not have held before it is notified again. */
  quietSeconds: number;
}

/** Returns the query of a few subjects. */
export function selectSubjects(subjects: Iterable<string>): Expression<{ subject: string }> {
  return sql`(select value as subject from json_each(${JSON.stringify([...subjects])}))`;
}

/** @param notify notifies of a new subject, within the transaction that records it */
export async function notifyStateChanges(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { event, subjects, quietSeconds }: Condition,
  notify: (subject: string, trx: Transaction<Schema>) => Promise<void>,
  stopping?: AbortSignal,
): Promise<void> {
  const now = nowSeconds(clock);
  const marks = db.reader.selectFrom('alert_mark').select('subject').where('event', '=', event);
  const readSubjects = async (query: typeof marks): Promise<string[]> =>
    (await query.limit(CHUNK_ROWS).execute()).map(({ subject }) => subject);
  const stillTrue = marks.where('seen_time', '<>', now).where(sql<boolean>`subject in ${subjects}`);
  const ended = marks.where('seen_time', '<=', now - quietSeconds).where(sql<boolean>`subject not in ${subjects}`);
  // The time of the last observation only matters with a quiet time.
  if (quietSeconds > 0)
    await runInChunks(
      db.machine,
      async () => {
        const some = await readSubjects(stillTrue);
        if (some.length > 0)
          await db.writer
            .updateTable('alert_mark')
            .set({ seen_time: now })
            .where('event', '=', event)
            .where('subject', 'in', some)
            .execute();
        return some.length === CHUNK_ROWS;
      },
      stopping,
    );
  await runInChunks(
    db.machine,
    async () => {
      const some = await readSubjects(ended);
      if (some.length > 0)
        await db.writer.deleteFrom('alert_mark').where('event', '=', event).where('subject', 'in', some).execute();
      return some.length === CHUNK_ROWS;
    },
    stopping,
  );
  const newSubjects = await sql<{ subject: string }>`select subject from ${subjects} as subjects
    where subject not in ${marks} limit ${sql.lit(PER_RUN)}`.execute(db.reader);
  await processItemsInChunks(
    db.machine,
    newSubjects.rows,
    NOTIFICATIONS_PER_CHUNK,
    (piece) =>
      db.writer.transaction().execute(async (trx) => {
        for (const { subject } of piece) {
          const mark = await trx
            .insertInto('alert_mark')
            .values({ event, subject, seen_time: now })
            // Another node has notified of it meanwhile.
            .onConflict((conflict) => conflict.doNothing())
            .returning('subject')
            .executeTakeFirst();
          if (mark !== undefined) await notify(subject, trx);
        }
      }),
    stopping,
  );
}

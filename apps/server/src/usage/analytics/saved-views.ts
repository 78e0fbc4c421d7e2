import type { SavedViewId } from '@switchyard/contract/ids';
import { SAVED_VIEWS_MAX, type SavedView } from '@switchyard/contract/usage/analytics';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, alreadyExists, notFound } from '../../platform/http/app-error.ts';
import type { SavedViewTable } from './table.ts';

export async function listViews({ db }: Context, userId: number): Promise<SavedView[]> {
  const rows = await db.writer
    .selectFrom('saved_view')
    .select(['id', 'name', 'search'])
    .where('user_id', '=', userId)
    .orderBy('name')
    .execute();
  return rows.map(present);
}

/** @throws AppError `already-exists`, or `conflict` if the user has too many */
export async function createView(
  { db, clock }: Context,
  userId: number,
  view: Pick<SavedView, 'name' | 'search'>,
): Promise<SavedView> {
  return db.writer.transaction().execute(async (trx) => {
    const own = await trx.selectFrom('saved_view').select('id').where('user_id', '=', userId).execute();
    if (own.length >= SAVED_VIEWS_MAX)
      throw new AppError('conflict', `You have reached the limit of ${SAVED_VIEWS_MAX} saved views. Remove one first.`);
    const row = await trx
      .insertInto('saved_view')
      .values({ user_id: userId, ...view, created_time: nowSeconds(clock) })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'name', 'search'])
      .executeTakeFirst();
    if (row === undefined) throw nameTakenError();
    return present(row);
  });
}

/** @throws AppError `not-found`, also for another user's view, or `already-exists` */
export async function renameView({ db }: Context, userId: number, id: SavedViewId, name: string): Promise<SavedView> {
  return db.writer.transaction().execute(async (trx) => {
    const other = await trx
      .selectFrom('saved_view')
      .select('id')
      .where('user_id', '=', userId)
      .where('name', '=', name)
      .where('id', '<>', id)
      .executeTakeFirst();
    if (other !== undefined) throw nameTakenError();
    const row = await trx
      .updateTable('saved_view')
      .set({ name })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning(['id', 'name', 'search'])
      .executeTakeFirst();
    if (row === undefined) throw notFound('saved view', id);
    return present(row);
  });
}

/** @throws AppError `not-found`, also for another user's view */
export async function removeView({ db }: Context, userId: number, id: SavedViewId): Promise<void> {
  const { numDeletedRows } = await db.writer
    .deleteFrom('saved_view')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('saved view', id);
}

const nameTakenError = (): AppError => alreadyExists('name', 'You already have a view with this name');

const present = ({ id, name, search }: Pick<SavedViewTable, 'name' | 'search'> & { id: number }): SavedView => ({
  id: id as SavedViewId,
  name,
  search,
});

import { cancelVendorBatches, removeUserBatches, removeUserEndedBatches } from '../../batches/batches.ts';
import type { Context } from '../../context.ts';
import { pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { removeUserKeys } from '../../idempotency/idempotency.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { streamPages } from '../../platform/stream-pages-and-json.ts';
import { removeConversations } from '../../playground/playground.ts';
import { removeUserResponses } from '../../stored-responses/stored-responses.ts';
import { removeUserEndedTasks, removeUserTasks } from '../../tasks/tasks.ts';
import { endUserKeys } from '../api-keys/api-keys.ts';
import { endAllSessions } from '../authentication/authentication.ts';
import type { UserRow } from './queries.ts';
import { checkNotRoot } from './role-rules.ts';

/** Tables whose rows belong to the user alone and have no references from other tables. */
const personalTables = [
  'access_token',
  'delivery',
  'destination',
  'identity',
  'passkey',
  'totp',
  'recovery_code',
  'known_device',
  'stored_response',
  'conversation',
  'avatar',
  'one_time',
  'saved_view',
  'notice_seen',
  'idempotency_usage',
] as const;

const KEY_IDS = { size: 500, most: Number.POSITIVE_INFINITY };

/** @throws AppError for root, and while a provider runs a batch of the account, which is cancelled */
export async function checkRemovable(ctx: Context, user: UserRow): Promise<void> {
  checkNotRoot(user);
  await cancelVendorBatches(ctx, user.id);
}

/**
 * Deletes the account and personal data, and frees its name; records and ledger entries stay. Rows that can be many
 * or large are deleted first, in chunks, and API keys are disabled; after an interruption the account still exists, and
 * its removal can be repeated.
 */
export async function removeAccount(ctx: Context, user: UserRow): Promise<void> {
  await checkRemovable(ctx, user);
  const { id } = user;
  await removeUserResponses(ctx, id);
  await removeConversations(ctx, id);
  await removeUserDeliveries(ctx, id);
  await removeUserEndedTasks(ctx, id);
  await removeUserEndedBatches(ctx, id);
  await removeUserKeys(ctx, id, listApiKeyIds(ctx, id));
  await endUserKeys(ctx, id);
  await ctx.db.writer.transaction().execute(async (trx) => {
    await trx
      .updateTable('user')
      .set({
        // Names of existing accounts cannot contain an `@`.
        username: `${user.username}@deleted:${id}`,
        display_name: '',
        email: '',
        email_verified_time: null,
        avatar_url: '',
        password_hash: '',
        aff_code: null,
        last_login_ip: '',
        status: 'disabled',
        deleted_time: nowSeconds(ctx.clock),
      })
      .where('id', '=', id)
      .execute();
    for (const table of personalTables) await trx.deleteFrom(table).where('user_id', '=', id).execute();
    await removeUserTasks(trx, id);
    await removeUserBatches(trx, id);
  });
  // Keys that were created meanwhile; the account can create no more.
  await endUserKeys(ctx, id);
  await endAllSessions(ctx, id);
  await ctx.changes.publish({ topic: 'users', ids: [id] });
}

/** Yields the ids of all API keys that the user ever had. The reader's thread lets others run between two pages. */
async function* listApiKeyIds({ db }: Pick<Context, 'db'>, userId: number): AsyncGenerator<number[]> {
  const pages = streamPages(KEY_IDS, (last: { id: number } | undefined, size) =>
    db.reader
      .selectFrom('api_key')
      .select('id')
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(size)
      .execute(),
  );
  for await (const rows of pages) yield pluckIds(rows);
}

/** Removes sent deliveries. Waiting ones are removed with the account. */
async function removeUserDeliveries({ db }: Pick<Context, 'db'>, userId: number): Promise<void> {
  await processRowsInChunks(
    db,
    (trx) => trx.selectFrom('delivery').select('id').where('user_id', '=', userId).where('state', '<>', 'waiting'),
    (trx, sent) => trx.deleteFrom('delivery').where('id', 'in', pluckIds(sent)).execute(),
  );
}

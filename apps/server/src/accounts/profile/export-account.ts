/** Export of the data stored about a user, for that user. Includes hashes and hints of secrets, but no keys. */

import { ownEvents } from '@switchyard/contract/operations/notifications';
import { exportBatches, exportBatchFiles } from '../../batches/batches.ts';
import { exportOwnOrders } from '../../billing/orders/orders.ts';
import type { Context } from '../../context.ts';
import { listNotificationTargets } from '../../operations/notifications/notifications.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { serializePages, streamJson, streamPages } from '../../platform/stream-pages-and-json.ts';
import { exportConversations } from '../../playground/playground.ts';
import type { Schema } from '../../schema.ts';
import { exportResponses } from '../../stored-responses/stored-responses.ts';
import { exportTasks } from '../../tasks/tasks.ts';
import { listAccessTokens } from '../access-tokens/access-tokens.ts';
import { listActiveSessions } from '../authentication/authentication.ts';
import { listPasskeys } from '../passkeys/passkeys.ts';
import { readSelf } from './profile.ts';

const KEYS = { size: 500, most: 10_000 };
const ROWS = { size: 500, most: Number.POSITIVE_INFINITY };

/** Kinds of ledger entries that are left out: charges, which the log has, and limits of keys, which move no balance. */
const kindsLeftOut = ['charge', 'key-limit'] as const;

/** Yields JSON in pieces: as a whole it could fill the memory while a client reads slowly. */
export function exportAccount(ctx: Context, caller: Caller): AsyncIterable<string> {
  const { userId } = caller;
  return streamJson({
    account: () => readSelf(ctx, userId),
    avatar: () => avatarOf(ctx, userId),
    tokens: () => serializePages(tokensOf(ctx, userId)),
    identities: () =>
      ctx.db.reader
        .selectFrom('identity')
        .select(['provider', 'issuer', 'subject', 'label', 'created_time'])
        .where('user_id', '=', userId)
        .execute(),
    passkeys: () => listPasskeys(ctx, caller),
    access_tokens: () => listAccessTokens(ctx, caller),
    destinations: () => listNotificationTargets(ctx, caller),
    deliveries: () => serializePages(deliveriesOf(ctx, userId)),
    sessions: () => sessionsOf(ctx, caller),
    known_devices: () =>
      ctx.db.reader
        .selectFrom('known_device')
        .select(['created_time', 'last_seen_time'])
        .where('user_id', '=', userId)
        .execute(),
    saved_views: () =>
      ctx.db.reader
        .selectFrom('saved_view')
        .select(['name', 'search', 'created_time'])
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute(),
    movements: () => serializePages(movementsOf(ctx, userId)),
    orders: () => serializePages(exportOwnOrders(ctx, userId)),
    conversations: () => exportConversations(ctx, caller),
    responses: () => exportResponses(ctx, userId),
    tasks: () => serializePages(exportTasks(ctx, userId)),
    batches: () => serializePages(exportBatches(ctx, userId)),
    files: () => serializePages(exportBatchFiles(ctx, userId)),
  });
}

/** @returns the PNG as base64; null for none */
async function avatarOf({ db }: Context, userId: number): Promise<string | null> {
  const row = await db.reader.selectFrom('avatar').select('image').where('user_id', '=', userId).executeTakeFirst();
  return row === undefined ? null : Buffer.from(row.image).toString('base64');
}

function tokensOf({ db }: Context, userId: number) {
  return streamPages(KEYS, (last: { id: number } | undefined, size) =>
    db.reader
      .selectFrom('api_key')
      .select(['id', 'name', 'key_hint', 'status', 'created_time', 'accessed_time', 'expired_time', 'setting'])
      .where('user_id', '=', userId)
      .where('deleted_time', 'is', null)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(size)
      .execute(),
  );
}

async function* deliveriesOf({ db }: Context, userId: number) {
  const pages = streamPages(ROWS, (last: { id: number } | undefined, size) =>
    db.reader
      .selectFrom('delivery')
      .select(['id', 'event', 'type', 'destination_name', 'title', 'text', 'state', 'created_time', 'last_answer'])
      .where('user_id', '=', userId)
      // Notifications to the site's staff are not personal data.
      .where('event', 'in', ownEvents)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(size)
      .execute(),
  );
  for await (const rows of pages) yield rows.map(({ id: _id, ...row }) => row);
}

async function sessionsOf(ctx: Context, caller: Caller) {
  const sessions = await listActiveSessions(ctx, caller);
  return sessions.map(
    ({ id_hash: _hash, user_id: _user, stepped_up_until: _until, parent_hash: _parent, ...rest }) => rest,
  );
}

async function* movementsOf({ db }: Context, userId: number) {
  const pages = streamPages(
    ROWS,
    (last: { created_at: number; kind: Schema['ledger_entry']['kind']; ref: string } | undefined, size) => {
      let query = db.reader
        .selectFrom('ledger_entry')
        .select(['kind', 'created_at', 'user_amount', 'note', 'ref'])
        .where('kind', 'not in', kindsLeftOut)
        .where('user_id', '=', userId);
      if (last !== undefined)
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'kind', 'ref'), '>', eb.tuple(last.created_at, last.kind, last.ref)),
        );
      return query.orderBy('created_at').orderBy('kind').orderBy('ref').limit(size).execute();
    },
  );
  for await (const rows of pages) yield rows.map(({ ref: _ref, ...row }) => row);
}

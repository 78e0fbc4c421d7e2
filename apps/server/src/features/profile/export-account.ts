/** What is stored about somebody, for themselves. Secrets stay where they are: hashes and hints are told, no keys. */

import { ownEvents } from '@switchyard/contract/alerts';
import { batchesOf } from '../../batches/batches.ts';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { tasksOf } from '../../tasks/tasks.ts';
import { listAccessTokens } from '../access-tokens/access-tokens.ts';
import { listDestinations } from '../alerts/alerts.ts';
import { listPasskeys } from '../passkeys/passkeys.ts';
import { exportConversations } from '../playground/playground.ts';
import { listSessionsOf } from '../sessions/sessions.ts';
import { readSelf } from './profile.ts';

const KEYS_MAX = 10_000;

/** JSON, indented for reading. */
export async function exportAccount(ctx: Context, caller: Caller): Promise<string> {
  const { userId } = caller;
  const own = ctx.db.reader;
  const account = await readSelf(ctx, userId);
  const tokens = await own
    .selectFrom('api_key')
    .select(['id', 'name', 'key_hint', 'status', 'created_time', 'accessed_time', 'expired_time', 'setting'])
    .where('user_id', '=', userId)
    .where('deleted_time', 'is', null)
    .orderBy('id')
    .limit(KEYS_MAX)
    .execute();
  const identities = await own
    .selectFrom('identity')
    .select(['provider', 'issuer', 'subject', 'label', 'created_time'])
    .where('user_id', '=', userId)
    .execute();
  const sessions = await listSessionsOf(ctx, caller);
  const known = await own
    .selectFrom('known_device')
    .select(['created_time', 'last_seen_time'])
    .where('user_id', '=', userId)
    .execute();
  const movements = await own
    .selectFrom('ledger_entry')
    .select(['kind', 'created_at', 'user_amount', 'note'])
    .where('kind', 'in', ['top-up', 'adjust', 'gift', 'opening'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
  const deliveries = await own
    .selectFrom('delivery')
    .select(['event', 'type', 'destination_name', 'title', 'text', 'state', 'created_time', 'last_answer'])
    .where('user_id', '=', userId)
    // What the site told its staff is not theirs to take along.
    .where('event', 'in', ownEvents)
    .orderBy('id')
    .execute();
  return JSON.stringify(
    {
      account,
      tokens,
      identities,
      passkeys: await listPasskeys(ctx, caller),
      access_tokens: await listAccessTokens(ctx, caller),
      destinations: await listDestinations(ctx, caller),
      deliveries,
      sessions: sessions.map(
        ({ id_hash: _hash, user_id: _user, stepped_up_until: _until, parent_hash: _parent, ...rest }) => rest,
      ),
      known_devices: known,
      movements,
      conversations: await exportConversations(ctx, caller),
      tasks: await tasksOf(ctx, userId),
      ...(await batchesOf(ctx, userId)),
    },
    undefined,
    2,
  );
}

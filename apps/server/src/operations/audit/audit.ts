/** Audit log of who did what to what. Append-only; details never contain a secret. */

import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { appendEntry, type ChainState, verifyChain } from './chain.ts';

export { appendEntry, verifyChain } from './chain.ts';

interface Entry {
  /** `feature.verb` */
  action: string;
  /** `user:7` */
  target: string;
  detail?: Readonly<Record<string, unknown>>;
}

export async function audit(
  ctx: Context,
  call: {
    caller: (Pick<Caller, 'userId'> & Partial<Pick<Caller, 'impersonator'>>) | undefined;
    address: string;
    requestId: string;
  },
  entry: Entry,
): Promise<void> {
  const impersonator = call.caller?.impersonator;
  const by = impersonator && { id: impersonator.userId, username: impersonator.username };
  await ctx.db.writer
    .transaction()
    .execute((trx) =>
      appendEntry(trx, ctx.vault, {
        created_at: nowSeconds(ctx.clock),
        user_id: call.caller?.userId ?? null,
        action: entry.action,
        target: entry.target,
        detail: JSON.stringify({ ...entry.detail, ...(by === undefined ? {} : { impersonator: by }) }),
        address: call.address,
        request_id: call.requestId,
      }),
    );
}

/** Verifies the whole log. */
export function verifyAuditChain(ctx: Context): Promise<ChainState> {
  return verifyChain(ctx.db.reader, ctx.vault);
}

/** Differences of a change: names of fields, with the values before and after. */
type Changes = Record<string, { before: unknown; after: unknown }>;

/**
 * Returns the fields that differ; nested ones are named with a dot, `rates.input`. Neither side may contain a secret:
 * pass the API's representation.
 * @param names fields to compare; absent for all
 */
export function diffRecords(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  names: readonly string[] = [...new Set([...Object.keys(before), ...Object.keys(after)])],
): Changes {
  const changes: Changes = {};
  for (const name of names) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    if (isRecord(old) && isRecord(now)) {
      for (const [inner, change] of Object.entries(diffRecords(old, now))) changes[`${name}.${inner}`] = change;
    } else changes[name] = { before: old ?? null, after: now ?? null };
  }
  return changes;
}

/** Maximum items of a list in a detail, and maximum bytes of their JSON. */
const LISTED_MAX = 20;
const LISTED_MAX_BYTES = 1_000;

/**
 * Shortens the long lists in a detail. Entries are never deleted, and the owner of an API key may send lists of
 * hundreds of models with every change.
 */
export function shortenLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    let listed = value.slice(0, LISTED_MAX);
    while (Buffer.byteLength(JSON.stringify(listed)) > LISTED_MAX_BYTES) listed = listed.slice(0, -1);
    const rest = value.length - listed.length;
    return rest > 0 ? [...listed, `and ${rest} more`] : value;
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenLists(inner)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

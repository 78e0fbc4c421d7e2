/** Audit log of who did what to what. Append-only; details never contain a secret. */

import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { appendEntry, type ChainState, type NewEntry, verifyChain } from './audit-hash-chain.ts';

export { appendEntry, verifyChain } from './audit-hash-chain.ts';

interface Entry {
  /** `feature.verb` */
  action: string;
  /** `user:7` */
  target: string;
  detail?: Readonly<Record<string, unknown>>;
}

interface AuditedCall {
  caller: (Pick<Caller, 'userId'> & Partial<Pick<Caller, 'impersonator'>>) | undefined;
  address: string;
  requestId: string;
}

const RETRY_MS = 10_000;
/** An hour of retries. */
const RETRIES_MAX = 360;

/**
 * Records a committed change. An entry that cannot be written is logged and retried: an error would tell the caller that
 * nothing was changed.
 */
export async function audit(ctx: Context, call: AuditedCall, entry: Entry): Promise<void> {
  const row = buildEntry(ctx, call, entry);
  await writeEntry(ctx, row).catch((error: unknown) => {
    ctx.log.error({ err: error, entry: row }, 'an audit entry could not be written, and is retried');
    retryEntry(ctx, row, 1);
  });
}

/** Records what the call is about to do or to send. @throws when the entry cannot be written: then it must do neither */
export async function auditFirst(ctx: Context, call: AuditedCall, entry: Entry): Promise<void> {
  await writeEntry(ctx, buildEntry(ctx, call, entry));
}

function retryEntry(ctx: Context, row: NewEntry, tries: number): void {
  const retry = (): Promise<void> =>
    writeEntry(ctx, row).catch((error: unknown) => {
      if (tries < RETRIES_MAX) retryEntry(ctx, row, tries + 1);
      else ctx.log.error({ err: error, entry: row }, 'an audit entry could not be written, and is lost');
    });
  ctx.clock.after(RETRY_MS, () => void retry()).unref();
}

function writeEntry(ctx: Context, row: NewEntry): Promise<void> {
  return ctx.db.writer.transaction().execute((trx) => appendEntry(trx, ctx.vault, row));
}

function buildEntry(ctx: Context, call: AuditedCall, entry: Entry): NewEntry {
  const impersonator = call.caller?.impersonator;
  const by = impersonator && { id: impersonator.userId, username: impersonator.username };
  return {
    created_at: nowSeconds(ctx.clock),
    user_id: call.caller?.userId ?? null,
    action: entry.action,
    target: entry.target,
    detail: JSON.stringify({ ...entry.detail, ...(by === undefined ? {} : { impersonator: by }) }),
    address: call.address,
    request_id: call.requestId,
  };
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

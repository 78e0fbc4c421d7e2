/**
 * Charges a response that a node delivered after other nodes had considered it dead and ended its holds. It is a
 * separate entry, exactly once per request: its reference is derived from the request id. It may leave a debt.
 */
import type { Kysely } from 'kysely';
import type { ClientBase } from 'pg';
import type { Schema } from '../../schema.ts';
import type { Hold, LateCharge, LedgerWrite, NewUsageRecord } from '../ledger-write-types.ts';
import type { UsageDetail } from '../usage-record-detail.ts';

type Settle = Extract<LedgerWrite, { type: 'settle' }>;

/** Points already charged for a request, and the counters of its record. */
export interface EarlierCharge
  extends Pick<NewUsageRecord, 'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'cost'> {
  points: number;
}

const LATE = '-late';
const NOTE = 'Late charge: the node delivered this after it had lost its lease';

/** Returns the references of all charges of a request: the settlement's, and the late charge's. */
export const listReferences = (requestId: string): string[] => [requestId, requestId + LATE];

/** Reads the charges of this node's requests that other nodes have settled. */
export async function readCharged(
  client: Pick<ClientBase, 'query'>,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, EarlierCharge>> {
  if (requestIds.length === 0) return new Map();
  const { rows } = await client.query<EarlierCharge & { request_id: string }>(
    `select wanted.id as request_id, (sum(-e.user_amount))::bigint as points,
       coalesce(sum(r.prompt_tokens), 0)::bigint as prompt_tokens,
       coalesce(sum(r.completion_tokens), 0)::bigint as completion_tokens,
       coalesce(sum(r.cached_tokens), 0)::bigint as cached_tokens,
       sum(r.cost)::bigint as cost
     from unnest($1::text[]) as wanted (id)
     join ledger_entry e on e.kind = 'charge' and e.ref in (wanted.id, wanted.id || '${LATE}')
     left join usage_record r on r.request_id = e.ref and r.type = 'consume'
     group by wanted.id`,
    [requestIds],
  );
  return new Map(rows.map(({ request_id, ...charged }) => [request_id, charged]));
}

/**
 * Returns the requests whose `Idempotency-Key` a repeated request has taken over. Locks the other keys, so that none is
 * taken over before the charges are written.
 */
export async function findSuperseded(
  client: Pick<ClientBase, 'query'>,
  holds: readonly Hold[],
): Promise<ReadonlySet<string>> {
  const keyed = holds.flatMap(({ requestId, idempotencyKey }) =>
    idempotencyKey === undefined ? [] : [{ requestId, ...idempotencyKey }],
  );
  if (keyed.length === 0) return new Set();
  const { rows } = await client.query<{ request_id: string }>(
    `select request_id from idempotency_key
     where (scope, key, request_id) in (select * from unnest($1::text[], $2::text[], $3::text[]))
     order by scope, key for update`,
    [keyed.map(({ scope }) => scope), keyed.map(({ key }) => key), keyed.map(({ requestId }) => requestId)],
  );
  const unchanged = new Set(rows.map(({ request_id }) => request_id));
  return new Set(keyed.map(({ requestId }) => requestId).filter((requestId) => !unchanged.has(requestId)));
}

/**
 * Reads the points that a request was charged, in a transaction that has locked its idempotency key. Undefined when it
 * was not charged.
 */
export async function readWrittenCharge(db: Kysely<Schema>, requestId: string): Promise<number | undefined> {
  const entries = await db
    .selectFrom('ledger_entry')
    .select('user_amount')
    .where('kind', '=', 'charge')
    .where('ref', 'in', listReferences(requestId))
    .execute();
  return entries.length === 0 ? undefined : entries.reduce((sum, entry) => sum - entry.user_amount, 0);
}

/** Returns the remaining charge; undefined when it was already taken, also by a commit whose response was lost. */
export function createLateCharge(
  { hold, charge, record }: Settle,
  before: EarlierCharge | undefined,
): LateCharge | undefined {
  const nothingHeld = { ...hold, amount: 0 };
  if (before === undefined)
    return { type: 'late-charge', hold: nothingHeld, charge, record: { ...record, content: NOTE } };
  const points = charge - before.points;
  if (points <= 0) return undefined;
  const requestId = hold.requestId + LATE;
  const rest = subtractEarlierCharge(record, before);
  return {
    type: 'late-charge',
    hold: { ...nothingHeld, requestId },
    charge: points,
    record: { ...rest, request_id: requestId, quota: points, content: NOTE },
  };
}

/**
 * Returns the record minus an earlier one's counts. The receipt is dropped, since it explains the whole price and
 * neither part.
 */
function subtractEarlierCharge(record: NewUsageRecord, before: EarlierCharge): NewUsageRecord {
  const left = (count: 'prompt_tokens' | 'completion_tokens' | 'cached_tokens'): number =>
    Math.max(0, record[count] - before[count]);
  const { receipt: _, ...detail } = JSON.parse(record.detail) as UsageDetail;
  return {
    ...record,
    cost: record.cost === null ? null : Math.max(0, record.cost - (before.cost ?? 0)),
    prompt_tokens: left('prompt_tokens'),
    completion_tokens: left('completion_tokens'),
    cached_tokens: left('cached_tokens'),
    detail: JSON.stringify(detail),
  };
}

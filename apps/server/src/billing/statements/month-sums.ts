/**
 * Sums of a user's month. The ledger is authoritative: charges that usage doesn't explain get a line of their own, so
 * that the models always add up to the charges.
 */

import { modelUsage, statement } from '@switchyard/contract/billing/statements';
import { type Points, toPoints } from '@switchyard/contract/money';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/open-database.ts';
import type { Schema } from '../../schema.ts';
import type { Month } from './list-statements.ts';

type Kind = Schema['ledger_entry']['kind'];
type Movement = keyof MonthSums['movements'];

const modelSums = modelUsage.omit({ date: true });
type ModelSums = z.output<typeof modelSums>;

/** Part of a statement that comes from the ledger and the usage. */
export const monthSums = statement
  .pick({ opening: true, closing: true, movements: true })
  .extend({ models: z.array(modelSums) });
export type MonthSums = z.output<typeof monthSums>;

/** Null for kinds that don't change the user's balance. */
const movementByKind: Readonly<Record<Kind, Movement | null>> = {
  charge: 'charges',
  'top-up': 'top_ups',
  refund: 'refunds',
  gift: 'gifts',
  adjust: 'adjustments',
  opening: 'adjustments',
  'key-limit': null,
};

interface Row {
  part: 'entries' | 'model';
  /** Kind of entry, or model. */
  name: string;
  before: number;
  quota: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  duration_ms: number;
}

/** Reads the sums in one statement, so that they are consistent while calls are charged. */
export async function readMonthSums(
  db: Database,
  userId: number,
  { from, to }: Pick<Month, 'from' | 'to'>,
): Promise<MonthSums> {
  const { rows } = await sql<Row>`select 'entries' as part, kind as name,
      sum(iif(created_at < ${from}, user_amount, 0)) as before,
      sum(iif(created_at >= ${from}, user_amount, 0)) as quota,
      0 as requests, 0 as prompt_tokens, 0 as completion_tokens, 0 as duration_ms
    from ledger_entry where user_id = ${userId} and created_at < ${to} group by kind
    union all
    select 'model', model, 0, sum(quota), sum(requests), sum(prompt_tokens), sum(completion_tokens), sum(duration_ms)
    from usage_hour where user_id = ${userId} and hour >= ${from} and hour < ${to}
    group by model having sum(requests) > 0 or sum(quota) <> 0`.execute(db.reader);
  return buildMonthSums(rows);
}

function buildMonthSums(rows: readonly Row[]): MonthSums {
  const movements = { charges: 0, top_ups: 0, refunds: 0, gifts: 0, adjustments: 0 };
  const models: ModelSums[] = [];
  let opening = 0;
  let moved = 0;
  for (const row of rows) {
    if (row.part === 'model') {
      models.push(toModelSums(row));
      continue;
    }
    opening += row.before;
    moved += row.quota;
    const movement = movementByKind[row.name as Kind];
    if (movement !== null) movements[movement] += row.quota;
  }
  return monthSums.parse({
    opening,
    closing: opening + moved,
    movements,
    models: reconcileModels(models, toPoints(0 - movements.charges)),
  });
}

const toModelSums = ({ name, quota, requests, prompt_tokens, completion_tokens, duration_ms }: Row): ModelSums => ({
  model_name: name,
  request_count: requests,
  quota: toPoints(quota),
  prompt_tokens,
  completion_tokens,
  request_time: duration_ms,
});

/** Sorts models by charge, highest first, and appends the difference between charges and usage. */
function reconcileModels(models: readonly ModelSums[], charged: Points): ModelSums[] {
  const sorted = models.toSorted((a, b) => b.quota - a.quota || (a.model_name < b.model_name ? -1 : 1));
  const rest = charged - models.reduce((sum, { quota }) => sum + quota, 0);
  return rest === 0 ? sorted : [...sorted, { ...NO_USAGE, quota: toPoints(rest) }];
}

const NO_USAGE = { model_name: '', request_count: 0, prompt_tokens: 0, completion_tokens: 0, request_time: 0 };

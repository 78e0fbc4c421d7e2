/** A price as rows: what is charged now, and every version that was. */
import type { Price, PriceVersion, savePrice as savePriceSchema } from '@switchyard/contract/prices';
import {
  imageRates as imageRatesSchema,
  NANO_POINTS_PER_POINT,
  rates as ratesSchema,
  tiers as tiersSchema,
} from '@switchyard/contract/rates';
import type { Selectable, Transaction } from 'kysely';
import type { z } from 'zod';
import type { Schema } from '../../db/schema.ts';
import type { PriceTable, PriceVersionTable } from './table.ts';

export type SavePrice = z.output<typeof savePriceSchema>;
export type PriceRow = Selectable<PriceTable>;
/** A row whose version is not written yet. */
export type UnsavedRow = Omit<PriceRow, 'version'>;

/** A `times` price of input ratio 1 costs this many points for a call. */
const POINTS_PER_CALL_RATIO = 1_000;

/** Appends the version; the row is to be stored in the same transaction. `now` in UTC seconds. */
export async function withVersion(trx: Transaction<Schema>, row: UnsavedRow, now: number): Promise<PriceRow> {
  const { model, type, rates, image_rates, tiers } = row;
  const { id } = await trx
    .insertInto('price_version')
    .values({ created_at: now, model, type, rates, image_rates, tiers })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...row, version: id };
}

export function rowOf({
  model,
  type,
  channel_type,
  rates,
  image_rates,
  tiers,
  locked,
}: SavePrice): UnsavedRow {
  return {
    model,
    type,
    channel_type,
    input: rates.input,
    output: rates.output,
    rates: JSON.stringify(ratesSchema.parse(rates)),
    image_rates: JSON.stringify(image_rates),
    tiers: JSON.stringify(tiers.toSorted((a, b) => a.above - b.above)),
    locked: Number(locked),
  };
}

export function present(row: PriceRow): Price {
  const ratioOf = (rate: number): number =>
    rate / NANO_POINTS_PER_POINT / (row.type === 'times' ? POINTS_PER_CALL_RATIO : 1);
  return {
    model: row.model,
    type: row.type,
    channel_type: row.channel_type,
    input: ratioOf(row.input),
    output: ratioOf(row.output),
    ...chargedOf(row),
    version: row.version,
    locked: row.locked === 1,
  };
}

export function presentVersion(row: Selectable<PriceVersionTable>): PriceVersion {
  const { id, created_at, model, type } = row;
  return { version: id, created_at, model, type, ...chargedOf(row) };
}

function chargedOf(row: Pick<PriceRow, 'rates' | 'image_rates' | 'tiers'>) {
  return {
    rates: ratesSchema.parse(JSON.parse(row.rates)),
    image_rates: imageRatesSchema.parse(JSON.parse(row.image_rates)),
    tiers: tiersSchema.parse(JSON.parse(row.tiers)),
  };
}

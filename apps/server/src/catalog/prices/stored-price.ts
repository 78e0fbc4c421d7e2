/** Rows of a price: the current one, and all its versions. */

import {
  imageRates as imageRatesSchema,
  NANO_POINTS_PER_POINT,
  rates as ratesSchema,
  tiers as tiersSchema,
} from '@switchyard/contract/catalog/price-rates';
import type { Price, PriceVersion, savePrice as savePriceSchema } from '@switchyard/contract/catalog/prices';
import type { Selectable, Transaction } from 'kysely';
import type { z } from 'zod';
import type { Schema } from '../../schema.ts';
import type { PriceTable, PriceVersionTable } from './table.ts';

export type SavePrice = z.output<typeof savePriceSchema>;
export type PriceRow = Selectable<PriceTable>;
/** Row whose version is not written yet. */
export type UnversionedPriceRow = Omit<PriceRow, 'version'>;

/** Points for a call of a `times` price with input ratio 1. */
const POINTS_PER_CALL_RATIO = 1_000;

/** Appends a version. The row must be stored in the same transaction. `now` in UTC seconds. */
export async function insertPriceVersion(
  trx: Transaction<Schema>,
  row: UnversionedPriceRow,
  now: number,
): Promise<PriceRow> {
  const { model, type, rates, image_rates, tiers } = row;
  const { id } = await trx
    .insertInto('price_version')
    .values({ created_at: now, model, type, rates, image_rates, tiers })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...row, version: id };
}

/** Number of rows that fit into one statement. */
const ROWS_PER_STATEMENT = 200;

/** Stores prices with new versions, replacing those of the same names. `now` in UTC seconds. */
export async function savePrices(
  trx: Transaction<Schema>,
  rows: readonly UnversionedPriceRow[],
  now: number,
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + ROWS_PER_STATEMENT);
    const versions = await trx
      .insertInto('price_version')
      .values(
        some.map(({ model, type, rates, image_rates, tiers }) => ({
          created_at: now,
          model,
          type,
          rates,
          image_rates,
          tiers,
        })),
      )
      .returning(['id', 'model'])
      .execute();
    const versionOf = new Map(versions.map(({ id, model }) => [model, id]));
    await trx
      .insertInto('price')
      .values(some.map((row) => ({ ...row, version: versionOf.get(row.model) ?? 0 })))
      .onConflict((conflict) =>
        conflict
          .column('model')
          .doUpdateSet((eb) => ({
            type: eb.ref('excluded.type'),
            channel_type: eb.ref('excluded.channel_type'),
            input: eb.ref('excluded.input'),
            output: eb.ref('excluded.output'),
            rates: eb.ref('excluded.rates'),
            image_rates: eb.ref('excluded.image_rates'),
            tiers: eb.ref('excluded.tiers'),
            locked: eb.ref('excluded.locked'),
            version: eb.ref('excluded.version'),
          })),
      )
      .execute();
  }
}

export function toPriceRow({
  model,
  type,
  channel_type,
  rates,
  image_rates,
  tiers,
  locked,
}: SavePrice): UnversionedPriceRow {
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

export function toPrice(row: PriceRow): Price {
  const ratioOf = (rate: number): number =>
    rate / NANO_POINTS_PER_POINT / (row.type === 'times' ? POINTS_PER_CALL_RATIO : 1);
  return {
    model: row.model,
    type: row.type,
    channel_type: row.channel_type,
    input: ratioOf(row.input),
    output: ratioOf(row.output),
    ...parseChargedColumns(row),
    version: row.version,
    locked: row.locked === 1,
  };
}

export function presentVersion(row: Selectable<PriceVersionTable>): PriceVersion {
  const { id, created_at, model, type } = row;
  return { version: id, created_at, model, type, ...parseChargedColumns(row) };
}

function parseChargedColumns(row: Pick<PriceRow, 'rates' | 'image_rates' | 'tiers'>) {
  return {
    rates: ratesSchema.parse(JSON.parse(row.rates)),
    image_rates: imageRatesSchema.parse(JSON.parse(row.image_rates)),
    tiers: tiersSchema.parse(JSON.parse(row.tiers)),
  };
}

/** Refreshes the operator's list from its address by the schedule, and records the result. */
import { type CatalogueNotices, type ListRefusal, listRefusal } from '@switchyard/contract/catalog/catalog-updates';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { fetchList, redactUrl } from './fetch-and-parse-price-list.ts';
import { readList } from './read-price-list.ts';
import { storeScheduledList } from './stored-price-list.ts';
import type { CatalogueFetchTable } from './table.ts';

type Refresh = Exclude<CatalogueNotices['refresh'], null>;

const SECONDS_PER_HOUR = 3_600;
/** Tolerance, because the hourly job is not exact to the second. */
const EARLY_SECONDS = 60;

/** Fetches the list if it is due. A problem is stored and shown with the notifications. */
export async function refreshCatalogue(ctx: Context): Promise<void> {
  const { catalogueUrl } = ctx.settings;
  if (!isScheduled(ctx)) return;
  const last = await readLastFetch(ctx);
  const now = nowSeconds(ctx.clock);
  if (last !== undefined && computeNextTime(ctx, last) - EARLY_SECONDS > now) return;
  const problem = await readScheduledList(ctx, catalogueUrl);
  const fetched: CatalogueFetchTable = {
    id: 1,
    address_hash: hashAddress(ctx, catalogueUrl),
    tried_time: now,
    read_time: problem === null ? now : (last?.read_time ?? 0),
    failures: problem === null ? 0 : (last?.failures ?? 0) + 1,
    problem,
  };
  await ctx.db.writer
    .insertInto('catalogue_fetch')
    .values(fetched)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fetched))
    .execute();
  await ctx.changes.publish({ topic: 'catalogue' });
}

/** Returns the last refresh; null without a schedule, or if the current address was not fetched yet. */
export async function readLastRefresh(ctx: Context): Promise<Refresh | null> {
  const last = isScheduled(ctx) ? await readLastFetch(ctx) : undefined;
  if (last === undefined) return null;
  const { tried_time, read_time, problem } = last;
  const address = redactUrl(ctx.settings.catalogueUrl);
  return { address, tried_time, read_time, next_time: computeNextTime(ctx, last), problem };
}

function isScheduled({ settings }: Context): boolean {
  return settings.catalogueUrl !== '' && settings.catalogueHours > 0;
}

/** Returns the last fetch of the configured address. */
async function readLastFetch(ctx: Context): Promise<CatalogueFetchTable | undefined> {
  return ctx.db.writer
    .selectFrom('catalogue_fetch')
    .selectAll()
    .where('address_hash', '=', hashAddress(ctx, ctx.settings.catalogueUrl))
    .executeTakeFirst();
}

function hashAddress({ vault }: Context, address: string): string {
  return vault.fingerprint(`catalogue-address ${address}`);
}

/**
 * Returns UTC seconds. After a failure, the interval is shorter than scheduled, and doubles with each further
 * failure.
 */
function computeNextTime({ settings }: Context, { tried_time, failures }: CatalogueFetchTable): number {
  const hours = failures === 0 ? settings.catalogueHours : 2 ** (failures - 1);
  return tried_time + Math.min(hours, settings.catalogueHours) * SECONDS_PER_HOUR;
}

/** @returns the reason for which the list was not read; null on success */
async function readScheduledList(ctx: Context, url: string): Promise<ListRefusal | null> {
  try {
    await storeScheduledList(ctx, redactUrl(url), readList(await fetchList(ctx, url), 'url'));
    return null;
  } catch (error) {
    const rule = listRefusal.safeParse(error instanceof AppError ? error.fields?.[0]?.rule : undefined);
    if (rule.success) return rule.data;
    throw error;
  }
}

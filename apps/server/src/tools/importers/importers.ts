/**
 * Imports other installations: a reader creates an `Installation`, and one writer stores it completely or not at all.
 * Imported rows are recorded, so that another run imports only new ones.
 */
import { type Price, savePrice } from '@switchyard/contract/catalog/prices';
import { settingDefinitions, settingFromText, settingToText } from '@switchyard/contract/operations/settings';
import { BytePieces } from '@switchyard/relay/byte-pieces';
import { parseJson } from '@switchyard/relay/json';
import { findShippedPrice } from '../../catalog/catalog-updates/catalog-updates.ts';
import { findUnlistedRates, readShippedPrices, savePrices, toPrice, toPriceRow } from '../../catalog/prices/prices.ts';
import { importChannelRow } from '../../channels/registry/registry.ts';
import { emptyRecord, type NewUsageRecord } from '../../ledger/ledger.ts';
import { appendEntry } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { updateDayRollups } from '../../usage/usage-records/usage-records.ts';
import { type ImportRun, type ImportTarget, readImportMap } from './import-run-and-map.ts';
import type { ProxyFetch } from './litellm.ts';
import type { ImportReport } from './report.ts';
import { requireSameInstallation } from './same-installation.ts';
import type { Installation, SourceChannel, SourceLog, SourcePrice } from './source-installation.ts';
import { type MapSymbol, writeGroups } from './write-groups.ts';
import { writeKeys } from './write-keys.ts';
import { writeCodes, writeOrders } from './write-payment-history.ts';
import { writeUsers } from './write-users.ts';

const REQUEST_TIMEOUT_MS = 60_000;
/** Maximum bytes of a response. Lists of teams and models have no pages. */
const RESPONSE_MAX_BYTES = 128 * 1024 * 1024;

/** Returns a function that calls the admin API of a proxy with its master key. */
export function createProxyFetch(outbound: Outbound, address: string, masterKey: string): ProxyFetch {
  return async (path) => {
    const named = path.split('?', 1)[0];
    const { status, body } = await outbound.open({
      method: 'GET',
      url: `${address.replace(/\/+$/, '')}${path}`,
      headers: { authorization: `Bearer ${masterKey}`, accept: 'application/json' },
      proxy: '',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const held = new BytePieces();
    for await (const part of body) {
      held.push(part);
      if (held.length > RESPONSE_MAX_BYTES) throw new Error(`The proxy's response to ${named} is too long`);
    }
    if (status !== 200) throw new Error(`The proxy returned status ${status} for ${named}`);
    return parseJson(held.whole().toString('utf8'));
  };
}

export type { ImportTarget } from './import-run-and-map.ts';
export { readLiteLlm } from './litellm.ts';
export { readFamily } from './one-api-family.ts';
export { ImportReport } from './report.ts';
export type { Installation } from './source-installation.ts';
export { type ProductName, productNames } from './source-installation.ts';
export { openSourceTables } from './source-tables.ts';

export interface ImportOptions {
  /** Operator's name for the installation; identifies what earlier runs imported. */
  source: string;
  /** Writes nothing, with the same report. */
  dryRun: boolean;
  /** Number of days of call records to import; 0: none. */
  logDays: number;
}

/** Error that rolls back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** @throws if anything could not be written; then the import is rolled back */
export async function runImport(
  target: ImportTarget,
  installation: Installation,
  report: ImportReport,
  { source, dryRun, logDays }: ImportOptions,
): Promise<void> {
  try {
    await target.ledger.transaction(async (trx, moves) => {
      const map = await readImportMap(trx, source);
      const run: ImportRun = { target, trx, moves, map, report, now: nowSeconds(target.clock) };
      await requireSameInstallation(run, installation);
      const symbolOf = await writeGroups(run, installation);
      await writeUsers(run, installation.users, symbolOf);
      await writeKeys(run, installation.keys, symbolOf);
      await writeChannels(run, installation.channels, symbolOf);
      await writePrices(run, installation.prices);
      await writeCodes(run, installation.codes);
      await writeOrders(run, installation.orders);
      if (logDays > 0) await writeLogs(run, installation, logDays);
      proposeSettings(run, installation);
      if (dryRun) throw new DryRunRollback();
      await appendEntry(trx, target.vault, {
        created_at: run.now,
        user_id: null,
        action: 'cli.import',
        target: `installation:${source}`,
        detail: JSON.stringify({ users: report.counts('user').new, tokens: report.counts('key').new }),
        address: '',
        request_id: '',
      });
    });
  } catch (error) {
    if (error instanceof DryRunRollback) return;
    throw error;
  }
  // Until the imported days are summed up, the usage log shows only local charges. The job repeats a failed update.
  await updateDayRollups(target).catch(() => {});
}

/**
 * Settings with the same meaning in both products. They are only proposed, because the new site has a different name
 * until it replaces the old one.
 */

const sharedSettings = [
  'systemName',
  'logo',
  'footer',
  'notice',
  'about',
  'homePage',
  'topUpLink',
  'chatLink',
  'registerEnabled',
  'passwordRegister',
  'passwordLogin',
  'emailVerification',
  'emailDomainRestriction',
  'emailDomains',
  'quotaForNewUser',
  'quotaForInviter',
  'quotaForInvitee',
  'quotaPerUnit',
  'displayInCurrency',
  'preConsumedQuota',
  'retryTimes',
] as const;
const SHOWN_MAX = 200;

function proposeSettings({ target, report }: ImportRun, { options }: Installation): void {
  for (const name of sharedSettings) {
    const { option } = settingDefinitions[name];
    const text = options.get(option);
    const value = text === undefined ? undefined : toSettingValue(name, text);
    const here = settingToText(name, target.settings[name]);
    if (value === undefined || value === '' || value === here) continue;
    report.propose(`${option} = ${truncateValue(value)} (here: ${truncateValue(here)})`);
  }
}

/** Returns the text of a setting; undefined if the value does not fit the setting here. */
function toSettingValue(name: (typeof sharedSettings)[number], text: string): string | undefined {
  try {
    return settingToText(name, settingFromText(name, text));
  } catch {
    return undefined;
  }
}

function truncateValue(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
}

/** Imports channels. */

async function writeChannels(
  { trx, target, map, report }: ImportRun,
  channels: readonly SourceChannel[],
  symbolOf: MapSymbol,
): Promise<void> {
  const raise = computePriorityRaise(channels);
  const isNew = ({ id }: SourceChannel): boolean => map.find('channel', id) === undefined;
  if (raise > 0 && channels.some(isNew))
    report.remark(
      'channel',
      'all priorities are raised, because the lowest one here is 0; channels of earlier runs keep theirs',
      `by ${raise}`,
    );
  for (const channel of channels) {
    const { id, dialect, row, groups } = channel;
    report.count('channel', 'read');
    if (!isNew(channel)) {
      report.count('channel', 'known');
      continue;
    }
    const symbols = [...new Set(groups.map(symbolOf))];
    const raised = { ...row, priority: readPriority(channel) + raise };
    const taken = await importChannelRow(target, trx, raised, { source: dialect, groups: symbols });
    const which = `${id} (${taken.name})`;
    if (taken.id === undefined) {
      report.skip('channel', taken.refusal, which);
      continue;
    }
    await map.record('channel', id, taken.id);
    report.count('channel', 'new');
    for (const field of taken.leftOut) report.remark('channel', `the field ${field} is not supported`, which);
    for (const { field, from, to } of taken.clamped)
      report.remark('channel', `its ${field} is limited to the supported range`, `${which} ${from} → ${to}`);
  }
}

/** Returns what to add to all priorities, so that the lowest is at least 0 and their order remains. */
function computePriorityRaise(channels: readonly SourceChannel[]): number {
  return channels.reduce((raise, channel) => Math.max(raise, 0 - readPriority(channel)), 0);
}

/** Returns the priority; 0 for a channel without one, as in the source. */
function readPriority({ row }: SourceChannel): number {
  const priority = row['priority'];
  return typeof priority === 'number' ? priority : 0;
}

/**
 * Imports prices. They replace existing ones that are not locked, except for the rates of vendor tools and images that
 * the source doesn't have.
 */
async function writePrices({ trx, map, report, now }: ImportRun, prices: readonly SourcePrice[]): Promise<void> {
  const here = (await trx.selectFrom('price').selectAll().execute()).map(toPrice);
  const priceOf = createNameLookup(here);
  const locked = new Set(here.flatMap((price) => (price.locked ? [price.model] : [])));
  const owners = new Map(readShippedPrices().map(({ model, channelType }) => [model, channelType]));
  const rows = new Map<string, ReturnType<typeof toPriceRow>>();
  for (const price of prices) {
    report.count('price', 'read');
    const wanted = withUnlistedRates(price, priceOf(price.model));
    const parsed = savePrice.safeParse({ ...wanted, channel_type: owners.get(price.model) ?? 0 });
    if (map.find('price', price.model) !== undefined) report.count('price', 'known');
    else if (!parsed.success)
      report.skip(
        'price',
        parsed.error.issues.some(({ path }) => path[0] === 'model')
          ? 'its model name is invalid'
          : 'its rates or tiers are outside the supported range',
        price.model,
      );
    else if (rows.has(price.model)) report.skip('price', 'its model already has a price in this import', price.model);
    else if (locked.has(parsed.data.model)) report.skip('price', 'the existing price is locked', price.model);
    else rows.set(price.model, toPriceRow(parsed.data));
  }
  await savePrices(trx, [...rows.values()], now);
  for (const model of rows.keys()) {
    await map.record('price', model, 0);
    report.count('price', 'new');
  }
}

/** @param present price that applies to the model now */
function withUnlistedRates(
  price: SourcePrice,
  present: Price | undefined,
): SourcePrice & { image_rates: Price['image_rates'] } {
  const { model, type, rates } = price;
  const shipped = findShippedPrice(model);
  const known = [present, shipped && { ...shipped, image_rates: { ...shipped.imageRates } }];
  const kept = findUnlistedRates({ type, image: rates.image }, known);
  return { ...price, rates: { ...kept.rates, ...rates }, image_rates: price.imageRates ?? kept.image_rates };
}

/** Imports records of calls as history. Their costs were deducted from the balances before the import. */

const DAY_SECONDS = 86_400;
/** Map id under which the newest record is stored. */
const NEWEST_LOG = 'newest';
const CONTENT_MAX = 2_000;
const COUNT_MAX = 1_000_000_000_000n;

async function writeLogs(run: ImportRun, installation: Installation, days: number): Promise<void> {
  const { map, report, moves, now } = run;
  const done = map.find('log', NEWEST_LOG) ?? 0;
  const since = now - days * DAY_SECONDS;
  let newest = done;
  for await (const page of installation.logs(since)) {
    const records: NewUsageRecord[] = [];
    for (const log of page) {
      report.count('log', 'read');
      const id = Number(log.id);
      const userId = map.find('user', log.userId);
      // Its id could not be recorded, so that the next run would import it again.
      if (!Number.isSafeInteger(id)) {
        report.skip('log', 'its ID is not a supported number', log.id);
        continue;
      }
      if (id <= done) report.count('log', 'known');
      else if (userId === undefined) report.skip('log', 'its user was not imported', log.id);
      // Every day since the first record is summed up, and a future record would always be listed first.
      else if (log.createdTime === 0 || log.createdTime > now + DAY_SECONDS)
        report.skip('log', 'its time is unknown or in the future', log.id);
      // The query's filter has no effect on columns of milliseconds or text.
      else if (log.createdTime < since) report.skip('log', 'it is older than requested', log.id);
      else records.push(toUsageRecord(run, log, userId));
      newest = Math.max(newest, id);
    }
    await moves.importRecords(records);
    report.count('log', 'new', records.length);
  }
  if (newest > done) await map.record('log', NEWEST_LOG, newest);
  await removeRollups(run, since);
}

/** Deletes daily sums that lack the imported records. */
async function removeRollups({ trx }: ImportRun, since: number): Promise<void> {
  const first = since - (since % DAY_SECONDS);
  await trx.deleteFrom('summarised_day').where('day', '>=', first).execute();
  await trx.deleteFrom('usage_day').where('day', '>=', first).execute();
}

function toUsageRecord({ map }: ImportRun, log: SourceLog, userId: number): NewUsageRecord {
  return {
    ...emptyRecord,
    request_id: `${map.source}:${log.id}`,
    created_at: log.createdTime,
    type: log.type,
    user_id: userId,
    api_key_id: map.find('key', log.keyId) ?? null,
    channel_id: map.find('channel', log.channelId) ?? null,
    model: log.model.slice(0, 128),
    group_symbol: log.group.slice(0, 32),
    quota: clampCount(log.quota),
    prompt_tokens: clampCount(log.promptTokens),
    completion_tokens: clampCount(log.completionTokens),
    duration_ms: clampCount(log.durationMs),
    is_stream: Number(log.isStream),
    address: log.address.slice(0, 64),
    content: log.content.slice(0, CONTENT_MAX),
  };
}

function clampCount(value: bigint): number {
  return Number(value > COUNT_MAX ? COUNT_MAX : value < -COUNT_MAX ? -COUNT_MAX : value);
}

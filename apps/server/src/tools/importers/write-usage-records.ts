/** Imports records of calls as history. Their costs were deducted from the balances before the import. */

import { emptyRecord, type NewUsageRecord } from '../../ledger/ledger.ts';
import type { ImportRun } from './import-run-and-map.ts';
import type { Installation, SourceLog } from './source-installation.ts';

const DAY_SECONDS = 86_400;
/** Map id under which the newest record is stored. */
const NEWEST_LOG = 'newest';
const CONTENT_MAX = 2_000;
const COUNT_MAX = 1_000_000_000_000n;

export async function writeLogs(run: ImportRun, installation: Installation, days: number): Promise<void> {
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

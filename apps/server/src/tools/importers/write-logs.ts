/** Records of calls, as history: what they cost was taken from the balances before those came over. */
import type { NewUsageRecord } from '../../ledger/ledger.ts';
import { blankRecord } from '../../ledger/ledger.ts';
import type { Installation, SourceLog } from './installation.ts';
import type { Run } from './run.ts';

const DAY_SECONDS = 86_400;
/** Under which the newest of them is noted. */
const NEWEST = 'newest';
const CONTENT_MAX = 2_000;
const COUNT_MAX = 1_000_000_000_000n;

export async function writeLogs(run: Run, installation: Installation, days: number): Promise<void> {
  const { map, report, moves, now } = run;
  const done = map.find('log', NEWEST) ?? 0;
  const since = now - days * DAY_SECONDS;
  let newest = done;
  for await (const page of installation.logs(since)) {
    const records: NewUsageRecord[] = [];
    for (const log of page) {
      report.count('log', 'read');
      const id = Number(log.id);
      const userId = map.find('user', log.userId);
      // It could not be noted, and all of them would come over again.
      if (!Number.isSafeInteger(id)) {
        report.skip('log', 'its ID is not a supported number', log.id);
        continue;
      }
      if (id <= done) report.count('log', 'known');
      else if (userId === undefined) report.skip('log', 'its user was not imported', log.id);
      // Every day since the first record is added up, and what is yet to come would stand above all others.
      else if (log.createdTime === 0 || log.createdTime > now + DAY_SECONDS)
        report.skip('log', 'its time is unknown or in the future', log.id);
      // A column of milliseconds, or of texts, has let it pass.
      else if (log.createdTime < since) report.skip('log', 'it is older than requested', log.id);
      else records.push(recordOf(run, log, userId));
      newest = Math.max(newest, id);
    }
    await moves.bringInRecords(records);
    report.count('log', 'new', records.length);
  }
  if (newest > done) await map.note('log', NEWEST, newest);
  await forgetSums(run, since);
}

/** Days that were added up have more records now. */
async function forgetSums({ trx }: Run, since: number): Promise<void> {
  const first = since - (since % DAY_SECONDS);
  await trx.deleteFrom('summarised_day').where('day', '>=', first).execute();
  await trx.deleteFrom('usage_day').where('day', '>=', first).execute();
}

function recordOf({ map }: Run, log: SourceLog, userId: number): NewUsageRecord {
  return {
    ...blankRecord,
    request_id: `${map.source}:${log.id}`,
    created_at: log.createdTime,
    type: log.type,
    user_id: userId,
    api_key_id: map.find('key', log.keyId) ?? null,
    channel_id: map.find('channel', log.channelId) ?? null,
    model: log.model.slice(0, 128),
    group_symbol: log.group.slice(0, 32),
    quota: within(log.quota),
    prompt_tokens: within(log.promptTokens),
    completion_tokens: within(log.completionTokens),
    duration_ms: within(log.durationMs),
    is_stream: Number(log.isStream),
    address: log.address.slice(0, 64),
    content: log.content.slice(0, CONTENT_MAX),
  };
}

function within(value: bigint): number {
  return Number(value > COUNT_MAX ? COUNT_MAX : value < -COUNT_MAX ? -COUNT_MAX : value);
}

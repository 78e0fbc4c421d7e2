import type { RecordType } from '@switchyard/contract/codes';
import { apiKeyId, channelId, userId } from '@switchyard/contract/ids';
import { oneOf } from '../../ui/data-table/list-state.ts';
import type { RecordFilter, Scope } from './queries.ts';

export const recordTypes = [
  'consume',
  'error',
  'top-up',
  'manage',
  'system',
] as const satisfies readonly RecordType[];
export const timePresets = ['1h', 'today', '7d', '30d'] as const;
export type TimePreset = (typeof timePresets)[number];

/** Names in the address; all but `time` are the contract's. `start_timestamp` and `end_timestamp` are the custom time. */
export const filterNames = [
  'time',
  'start_timestamp',
  'end_timestamp',
  'log_type',
  'model_name',
  'token_name',
  'token_id',
  'is_stream',
  'request_id',
  'username',
  'user_id',
  'channel_id',
  'group',
  'source_ip',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterTexts = Readonly<Record<FilterName, string | undefined>>;

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Moments in UTC seconds; "today" begins at the viewer's midnight. */
export function presetStart(preset: TimePreset, now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000);
  if (preset === 'today')
    return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000);
  return seconds - { '1h': HOUR, '7d': 7 * DAY, '30d': 30 * DAY }[preset];
}

/** What the address says, as the server's query. Values that mean nothing are left out. */
export function recordFilter(scope: Scope, texts: FilterTexts, now = new Date()): RecordFilter {
  const preset = oneOf(texts.time, timePresets);
  const own: RecordFilter = {
    log_type: oneOf(texts.log_type, recordTypes),
    start_timestamp: preset === undefined ? wholeNumber(texts.start_timestamp) : presetStart(preset, now),
    end_timestamp: preset === undefined ? wholeNumber(texts.end_timestamp) : undefined,
    model_name: texts.model_name,
    token_name: texts.token_name,
    token_id: apiKeyId.safeParse(texts.token_id).data,
    is_stream: texts.is_stream === undefined ? undefined : texts.is_stream === 'true',
    request_id: texts.request_id,
  };
  if (scope === 'own') return own;
  return {
    ...own,
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    channel_id: channelId.safeParse(texts.channel_id).data,
    group: texts.group,
    source_ip: texts.source_ip,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

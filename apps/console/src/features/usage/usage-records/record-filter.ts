import { apiKeyId, channelId, userId } from '@switchyard/contract/ids';
import type { RecordType } from '@switchyard/contract/wire-enums';
import { timeFilter } from '../../../ui/filters/time-presets.ts';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import type { RecordFilter, Scope } from './queries.ts';

export const recordTypes = ['consume', 'error', 'top-up', 'manage', 'system'] as const satisfies readonly RecordType[];

/** URL parameters of the filter; all except `time` are the contract's. The timestamps are a custom range. */
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
  'other_model',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterTexts = Readonly<Record<FilterName, string | undefined>>;

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function recordFilter(scope: Scope, texts: FilterTexts, now = new Date()): RecordFilter {
  const own: RecordFilter = {
    log_type: oneOf(texts.log_type, recordTypes),
    ...timeFilter(texts, now),
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
    other_model: texts.other_model === 'true' ? true : undefined,
  };
}

import { userId } from '@switchyard/contract/ids';
import { oneOf } from '../../../ui/table/list-state.ts';
import type { EntryFilter } from './queries.ts';

export const timePresets = ['1d', '7d', '30d'] as const;
/** Subjects of entries: the first word of an action. */
export const areas = [
  'session',
  'profile',
  'identity',
  'impersonation',
  'passkey',
  'totp',
  'recovery-codes',
  'user',
  'user-group',
  'staff-role',
  'access-token',
  'api-key',
  'channel',
  'price',
  'model-detail',
  'model-owner',
  'setting',
  'job',
  'mail',
  'destination',
  'delivery',
  'secret',
  'statement',
  'usage-record',
  'redemption-code',
  'code-batch',
  'cli',
] as const;

/** Names in the address. */
export const filterNames = ['time', 'area', 'action', 'username', 'user_id', 'about_user', 'target'] as const;
export type FilterName = (typeof filterNames)[number];

const DAY = 24 * 3600;
const days = { '1d': 1, '7d': 7, '30d': 30 };

/** Returns the server's query for the parameters of the address. Invalid values are left out. */
export function entryFilter(
  texts: Readonly<Record<FilterName, string | undefined>>,
  now = new Date(),
): EntryFilter {
  const preset = oneOf(texts.time, timePresets);
  const area = oneOf(texts.area, areas);
  return {
    start_timestamp: preset === undefined ? undefined : Math.floor(now.getTime() / 1000) - days[preset] * DAY,
    action: texts.action ?? (area && `${area}.`),
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    about_user: userId.safeParse(texts.about_user).data,
    target: texts.target,
  };
}

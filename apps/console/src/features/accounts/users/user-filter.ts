import { POINTS_PER_USD } from '@switchyard/contract/money';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import type { UserFilter } from './queries.ts';
import { roles, userStatuses } from './user-roles-and-edit-rights.ts';

/** URL parameters of the filter; balances are in USD. */
export const filterNames = [
  'role',
  'status',
  'group',
  'balance_min',
  'balance_max',
  'alarmed',
  'seen',
  'made',
] as const;
export type FilterName = (typeof filterNames)[number];

export const lastSeenPresets = ['day', 'month', 'idle', 'never'] as const;
export const createdPresets = ['day', 'week', 'month'] as const;

const DAY = 24 * 3600;
const days = { day: 1, week: 7, month: 30, idle: 90 };

/** Returns the server's query for the URL parameters. Invalid values are left out. */
export function userFilter(
  texts: Readonly<Record<FilterName, string | undefined>>,
  keyword: string,
  now = new Date(),
): UserFilter {
  const ago = (span: keyof typeof days) => Math.floor(now.getTime() / 1000) - days[span] * DAY;
  const seen = oneOf(texts.seen, lastSeenPresets);
  const made = oneOf(texts.made, createdPresets);
  return {
    keyword: keyword === '' ? undefined : keyword,
    role: oneOf(texts.role, roles),
    status: oneOf(texts.status, userStatuses),
    group: texts.group,
    balance_min: pointsOf(texts.balance_min),
    balance_max: pointsOf(texts.balance_max),
    alarmed: texts.alarmed === 'true' ? true : undefined,
    seen_after: seen === 'day' || seen === 'month' ? ago(seen) : undefined,
    // The last sign-in of a user who never signed in is 0.
    seen_before: seen === 'idle' ? ago('idle') : seen === 'never' ? 1 : undefined,
    created_after: made === undefined ? undefined : ago(made),
  };
}

function pointsOf(dollars: string | undefined): number | undefined {
  const points = Math.round(parseNumberText(dollars ?? '') * POINTS_PER_USD);
  return Number.isSafeInteger(points) ? points : undefined;
}

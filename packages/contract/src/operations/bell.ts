/** Notices that follow from the present state; each user gets only the permitted ones. */
import { z } from 'zod';
import { emptyData, routes } from '../route.ts';

export const bellNotificationKinds = [
  'announcement',
  'low-balance',
  'token-spent',
  'token-expires',
  'payment-failed',
  'channels-disabled',
  'models-unpriced',
  'rates-missing',
  'models-retired',
  'payments-review',
  'refunds-failed',
  'books-differ',
  'overload',
  'jobs-failed',
  'certificates-end',
  'mail-failed',
  'destination-off',
  'site-destination-off',
  'new-version',
] as const;
export const bellNotificationKind = z.enum(bellNotificationKinds);
export type BellNotificationKind = z.output<typeof bellNotificationKind>;

/** Days after which a dismissed notice returns if its state still holds. A change of the state returns it at once. */
export const DISMISSED_DAYS = 7;

export const bellNotification = z.object({
  kind: bellNotificationKind,
  /** Identifier of the state, which dismissing refers to. */
  mark: z.string().max(64),
  /** True if the caller has dismissed it. */
  seen: z.boolean(),
  count: z.int(),
  /** First few names of the affected objects. */
  names: z.array(z.string()),
  /** Start of the state in UTC seconds; null: unknown. */
  since: z.int().nullable(),
});
export type BellNotification = z.output<typeof bellNotification>;

export const notices = routes({
  list: {
    method: 'GET',
    path: '/api/notices',
    access: 'user',
    summary: 'List the notifications of the caller',
    answer: z.array(bellNotification),
  },
  seen: {
    method: 'POST',
    path: '/api/notices/seen',
    access: 'user',
    summary: 'Dismiss notifications until they change',
    body: z
      .array(bellNotification.pick({ kind: true, mark: true }))
      .min(1)
      .max(bellNotificationKinds.length),
    answer: emptyData,
  },
});

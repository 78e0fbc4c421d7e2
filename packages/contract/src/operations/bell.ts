/** Notifications that follow from the present state. Users get only those that they may read. */
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

/** A dismissed notice comes back when its state changes, and after this time if it still holds. */
export const DISMISSED_DAYS = 7;

export const bellNotification = z.object({
  kind: bellNotificationKind,
  /** Changes with the state: what is dismissed is this one. */
  mark: z.string().max(64),
  /** The caller has dismissed it. */
  seen: z.boolean(),
  count: z.int(),
  /** The first few of what it is about. */
  names: z.array(z.string()),
  /** Since when, UTC seconds; null: unknown. */
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

import type { BellNotificationKind } from '@switchyard/contract/operations/bell';

/** Dismissal by a user: the state of a kind at that time. */
export interface DismissedNotificationTable {
  user_id: number;
  kind: BellNotificationKind;
  mark: string;
  /** UTC seconds. */
  seen_time: number;
}

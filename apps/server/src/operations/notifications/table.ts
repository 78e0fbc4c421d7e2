import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import type { DeliveryState, NotificationEvent } from '@switchyard/contract/operations/notifications';
import type { Generated } from 'kysely';

/** Notification channel of a user, or of the site. */
export interface DestinationTable {
  id: Generated<number>;
  /** Null for the site's. */
  user_id: number | null;
  type: NotificationTargetType;
  name: string;
  /** JSON of all fields, sealed: the address alone may be enough to send messages. */
  config_sealed: string;
  /** JSON list of `NotificationEvent`. */
  events: string;
  enabled: number;
  /** Reason of an automatic disabling; empty otherwise. */
  off_reason: string;
  /** UTC seconds; null if the last message was accepted. */
  failing_since: number | null;
  created_time: number;
}

/** Notification to one target, stored for 30 days. */
export interface DeliveryTable {
  id: Generated<number>;
  /** Queue in which only the first delivery is tried, so that messages arrive in order. */
  lane: string;
  /** Null for mail to the account's address, or if the notification channel was removed. */
  destination_id: number | null;
  /** Owner of the delivery; null for the site. */
  user_id: number | null;
  event: NotificationEvent;
  type: NotificationTargetType;
  /** Name of the notification channel at that time; empty for mail to the account's address. */
  destination_name: string;
  title: string;
  text: string;
  link: string;
  state: DeliveryState;
  /** Number of attempts begun. */
  tries: number;
  /** UTC seconds, like the next. */
  created_time: number;
  /** Null if it is not waiting, or another one of its queue is first. */
  next_try_time: number | null;
  /** Null while it waits. */
  ended_time: number | null;
  last_answer: string;
}

/** Condition that was notified; it is notified again after it has ended. */
export interface AlertMarkTable {
  event: NotificationEvent;
  subject: string;
  /** Time of its last observation, UTC seconds. */
  seen_time: number;
}

import type { DeliveryState, NotificationEvent } from '@switchyard/contract/operations/alerts';
import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import type { Generated } from 'kysely';

/** Notification channel of a user, or of the site. */
export interface DestinationTable {
  id: Generated<number>;
  /** Null: the site's. */
  user_id: number | null;
  type: NotificationTargetType;
  name: string;
  /** JSON of all its fields: an address lets whoever has it write there. */
  config_sealed: string;
  /** JSON list of `AlertEvent`. */
  events: string;
  enabled: number;
  /** Why it was switched off by itself; empty otherwise. */
  off_reason: string;
  /** UTC seconds; null: the last message was taken. */
  failing_since: number | null;
  created_time: number;
}

/** An alert on its way to one destination, kept for 30 days. */
export interface DeliveryTable {
  id: Generated<number>;
  /** Queue in which only the first delivery is tried, so that messages arrive in order. */
  lane: string;
  /** Null: mail to the account's address, or the destination is gone. */
  destination_id: number | null;
  /** Owner of the delivery; null: the site. */
  user_id: number | null;
  event: NotificationEvent;
  type: NotificationTargetType;
  /** Name of the notification channel at that time; empty: mail to the account's address. */
  destination_name: string;
  title: string;
  text: string;
  link: string;
  state: DeliveryState;
  /** Attempts that have begun. */
  tries: number;
  /** UTC seconds, as the next. */
  created_time: number;
  /** Null: it does not wait, or another of its lane goes first. */
  next_try_time: number | null;
  /** Null while it waits. */
  ended_time: number | null;
  last_answer: string;
}

/** A state that was told: it is told again once it was over. */
export interface AlertMarkTable {
  event: NotificationEvent;
  subject: string;
  /** When it was last seen to hold, UTC seconds. */
  seen_time: number;
}

import type { Topic } from '../platform/change-subscriptions.ts';

/** Number of changes of a topic, from which a node detects what it missed. */
export interface ChangeVersionTable {
  topic: Topic;
  version: number;
}

/** Lease for work that only one of several nodes may do at a time. */
export interface LeaseTable {
  name: string;
  /** Machine and process of a node. */
  holder: string;
  /** UTC milliseconds, by the database's clock. */
  held_until: number;
  /** UTC milliseconds until which the lease is not due. */
  rest_until: number;
}

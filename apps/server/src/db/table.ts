import type { Topic } from '../platform/changes.ts';

/** Number of changes of a topic, so that each of several nodes finds out what it missed. */
export interface ChangeVersionTable {
  topic: Topic;
  version: number;
}

/** Lease for work that only one of several nodes may do at a time. */
export interface LeaseTable {
  name: string;
  /** A node's machine and process. */
  holder: string;
  /** UTC milliseconds, by the database's clock. */
  held_until: number;
  /** Until then it is not due again. */
  rest_until: number;
}

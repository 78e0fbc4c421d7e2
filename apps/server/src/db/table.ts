import type { Topic } from '../platform/changes.ts';

/** How often a topic changed, so that a node of several finds out what it missed. */
export interface ChangeVersionTable {
  topic: Topic;
  version: number;
}

/** What only one of several nodes may do at a time, and who does. */
export interface LeaseTable {
  name: string;
  /** A node's machine and process. */
  holder: string;
  /** UTC milliseconds, by the database's clock. */
  held_until: number;
  /** Until then it is not due again. */
  rest_until: number;
}

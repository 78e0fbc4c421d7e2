import type { Generated } from 'kysely';

export interface ConversationTable {
  id: Generated<number>;
  user_id: number;
  title: string;
  /** Number of times it was saved. */
  version: number;
  created_time: number;
  updated_time: number;
  /** JSON of turns and settings. */
  content: string;
}

/** `waiting`: to be fetched, or, of a picture, to go from the folder into the bucket; `failed`: it stays at its vendor; `expired`: it was kept, and is not any more. */
export type StoredWorkState = 'waiting' | 'kept' | 'failed' | 'expired';

/** What a task made, or a picture of an answer, as far as the operator keeps it. */
export interface StoredWorkTable {
  /** Not to be guessed: it is given to whoever knows it. Its name in the store, too. */
  id: string;
  /** Null: a picture of an answer. */
  task_id: string | null;
  /** Whose, unless it is a task's. */
  user_id: number | null;
  /** Which of the task's works. */
  nth: number;
  /** Of which one is fetched at a time: a channel has four, whatever hosts its vendor names. */
  lane: string;
  /** Where it lies, or will: `folder`, or the address of a bucket. */
  store: string;
  state: StoredWorkState;
  /** 0 until it is kept. */
  bytes: number;
  /** As its first bytes say; empty until it is kept. */
  media_type: string;
  tries: number;
  next_try_at: number;
  created_at: number;
  /** Null: with its task. */
  expires_at: number | null;
}

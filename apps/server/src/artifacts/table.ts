/** `waiting`: to be fetched, or, of a picture, to go from the folder into the bucket; `failed`: it stays at its vendor; `expired`: it was kept, and is not any more. */
export type StoredArtifactState = 'waiting' | 'kept' | 'failed' | 'expired';

/** Artifact of a task, or an image of a response, as far as the operator keeps it. */
export interface StoredWorkTable {
  /** Not to be guessed: it is given to whoever knows it. Its name in the store, too. */
  id: string;
  /** Null: a picture of an answer. */
  task_id: string | null;
  /** Owner of the artifact; null for a task's, which belongs to the task's owner. */
  user_id: number | null;
  /** Index of the artifact within its task. */
  nth: number;
  /** Queue in which one artifact is fetched at a time: a channel has four, whatever hosts its vendor names. */
  lane: string;
  /** Store that holds the artifact, or will: `folder`, or the address of a bucket. */
  store: string;
  state: StoredArtifactState;
  /** 0 until it is kept. */
  bytes: number;
  /** Media type according to the first bytes; empty until it is stored. */
  media_type: string;
  tries: number;
  next_try_at: number;
  created_at: number;
  /** Null: with its task. */
  expires_at: number | null;
}

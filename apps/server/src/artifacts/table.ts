/**
 * `waiting`: to be fetched, or, for an image of a response, to be uploaded from the folder; `failed`: only the
 * provider has it; `expired`: it was stored, and is removed.
 */
export type StoredArtifactState = 'waiting' | 'kept' | 'failed' | 'expired';

/** Artifact of a task, or an image of a response, that the operator stores. */
export interface StoredWorkTable {
  /** Secret, because anyone who knows it can read the artifact. Also its name in the store. */
  id: string;
  /** Null for an image of a response. */
  task_id: string | null;
  /** Owner of the artifact; null for a task's, which belongs to the task's owner. */
  user_id: number | null;
  /** Index of the artifact within its task. */
  nth: number;
  /** Queue in which one artifact is fetched at a time. A channel has four, regardless of its provider's hosts. */
  lane: string;
  /** Store that holds the artifact, or will: `folder`, or the address of a bucket. */
  store: string;
  state: StoredArtifactState;
  /** 0 until it is stored. */
  bytes: number;
  /** Media type according to the first bytes; empty until it is stored. */
  media_type: string;
  tries: number;
  next_try_at: number;
  created_at: number;
  /** Null: expires with its task. */
  expires_at: number | null;
}

/** An `Idempotency-Key` that was used, and the response to its request. */
export interface IdempotencyKeyTable {
  /** Owner of the key: two callers may use the same text. */
  scope: string;
  key: string;
  /** User whose usage counts the key; 0: none, for keys of the gateway itself and those that are older than the count. */
  user_id: number;
  /** Hash of what was asked. */
  fingerprint: string;
  /** The request that answers, or answered. */
  request_id: string;
  created_at: number;
  /** HTTP status of the answer; null while there is none, and for one that is too large to keep. */
  status: number | null;
  content_type: string | null;
  body: Uint8Array | null;
}

/** Number of keys and bytes of a user in `idempotency_key`. */
export interface IdempotencyUsageTable {
  user_id: number;
  keys: number;
  /** Bytes of the stored bodies. */
  bytes: number;
}

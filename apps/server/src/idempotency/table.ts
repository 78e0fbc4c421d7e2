/** Used `Idempotency-Key`, and the response to its request. */
export interface IdempotencyKeyTable {
  /** Owner of the key, because two callers may use the same text. */
  scope: string;
  key: string;
  /**
   * User whose usage counts the key; 0: none, for keys of the gateway itself and keys from before usage was counted.
   */
  user_id: number;
  /** Hash of the request. */
  fingerprint: string;
  /** Request that has the key. */
  request_id: string;
  created_at: number;
  /** HTTP status of the response; null if there is none yet, or it is too large to store. */
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

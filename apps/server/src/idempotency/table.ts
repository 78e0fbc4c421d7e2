/** An `Idempotency-Key` that somebody used, and the answer to it. */
export interface IdempotencyKeyTable {
  /** Owner of the key: two callers may use the same text. */
  scope: string;
  key: string;
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

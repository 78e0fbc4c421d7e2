export interface TotpTable {
  user_id: number;
  secret_sealed: string;
  created_time: number;
  /** Latest interval whose code was used; it and earlier ones are no longer valid. */
  last_step: number;
}

export interface RecoveryCodeTable {
  user_id: number;
  /** Keyed hash. */
  code_hash: string;
}

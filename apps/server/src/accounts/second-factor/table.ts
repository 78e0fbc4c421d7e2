export interface TotpTable {
  user_id: number;
  secret_sealed: string;
  created_time: number;
  /** The latest interval whose code was used; that code and older ones are worthless. */
  last_step: number;
}

export interface RecoveryCodeTable {
  user_id: number;
  /** Keyed hash. */
  code_hash: string;
}

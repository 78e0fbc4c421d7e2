/** Append-only. */
export interface AuditEntryTable {
  id: number;
  created_at: number;
  user_id: number | null;
  action: string;
  target: string;
  detail: string;
  address: string;
  request_id: string;
  /** Hash of the previous entry's hash and this entry; empty in entries of earlier versions. */
  hash: string;
}

/** One row: which entry is the last one, sealed. */
export interface AuditHeadTable {
  id: number;
  head_sealed: string;
}

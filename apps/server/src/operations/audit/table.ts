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

/** Single row with the sealed position of the last entry. */
export interface AuditHeadTable {
  id: number;
  head_sealed: string;
}

import type { Generated } from 'kysely';

/** Append-only. */
export interface AuditEntryTable {
  id: Generated<number>;
  created_at: number;
  user_id: number | null;
  action: string;
  target: string;
  detail: string;
  address: string;
  request_id: string;
}

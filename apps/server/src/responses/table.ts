/** An answer of the Responses API that can be asked for again, and gone on from. */
export interface StoredResponseTable {
  id: string;
  user_id: number;
  /** Response that it continues. */
  previous_id: string | null;
  /** The channel whose vendor keeps it, too; null: it is kept here only. */
  channel_id: number | null;
  /** The key of the channel whose account has it; null: the only one. */
  key_id: string | null;
  created_time: number;
  expires_time: number;
  /** JSON of the items that this request added. */
  input: string;
  /** JSON of the answer. */
  response: string;
}

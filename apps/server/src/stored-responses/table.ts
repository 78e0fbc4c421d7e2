/** Response of the Responses API that can be read again and continued. */
export interface StoredResponseTable {
  id: string;
  user_id: number;
  /** Response that it continues. */
  previous_id: string | null;
  /** Channel whose provider stores it, too; null: it is stored here only. */
  channel_id: number | null;
  /** Key of the channel whose account has it; null: the only one. */
  key_id: string | null;
  created_time: number;
  expires_time: number;
  /** JSON of the items that this request added. */
  input: string;
  /** JSON of the response. */
  response: string;
}

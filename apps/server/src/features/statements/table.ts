/** A month of a user as it was when it was made. */
export interface StatementTable {
  user_id: number;
  /** `2026-11-01` */
  month: string;
  request_count: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  request_time: number;
  /** JSON of the whole statement. */
  content: string;
  generated_time: number;
}

/** Sums of a user's month, stored when it was over. */
export interface StatementTable {
  user_id: number;
  /** `2026-11-01` */
  month: string;
  /** JSON of `MonthSums`. */
  content: string;
  generated_time: number;
}

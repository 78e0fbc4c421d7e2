/** Sums of a user's month, stored after the month was closed. */
export interface StatementTable {
  user_id: number;
  /** `2026-11-01` */
  month: string;
  /** JSON of `MonthSums`. */
  content: string;
  generated_time: number;
}

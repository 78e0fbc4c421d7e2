/** Sums of the calls of one day (UTC seconds of its start) by every field that records are filtered by; 0: none. */
export interface UsageDayTable {
  day: number;
  user_id: number;
  api_key_id: number;
  channel_id: number;
  model: string;
  group_symbol: string;
  is_stream: number;
  address: string;
  requests: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** Days whose sums are complete. */
export interface SummarisedDayTable {
  day: number;
}

/** Sums of the calls of one day (UTC seconds of its start) by group, for the money overview. */
export interface UsageGroupDayTable {
  day: number;
  group_symbol: string;
  requests: number;
  quota: number;
  /** Costs and charges of the calls whose cost is known. */
  cost: number;
  costed_quota: number;
}

/** Position up to which records have been sent to another database. */
export interface ShippedRecordTable {
  sink: string;
  last_id: number;
}

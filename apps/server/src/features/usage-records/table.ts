/** Sums of the calls of one day (UTC seconds of its start) by everything that records are filtered by; 0: none. */
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

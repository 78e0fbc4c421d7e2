/** UTC seconds, both included. */
export interface TimeRange {
  from: number;
  to: number;
}

export function toTimeRange(query: { start_timestamp: number; end_timestamp: number }): TimeRange {
  return { from: query.start_timestamp, to: query.end_timestamp };
}

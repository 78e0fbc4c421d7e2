/** UTC seconds, both included. */
export interface Time {
  from: number;
  to: number;
}

export function timeOf(query: { start_timestamp: number; end_timestamp: number }): Time {
  return { from: query.start_timestamp, to: query.end_timestamp };
}

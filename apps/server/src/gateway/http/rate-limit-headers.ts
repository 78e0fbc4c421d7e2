/**
 * Rate-limit state in responses and refusals: in the fields of draft-ietf-httpapi-ratelimit-headers
 * (`RateLimit-Policy`, `RateLimit`), and in the `x-ratelimit-*` ones that OpenAI's clients read.
 */

export interface RateLimitState {
  /** Name of the limit in the headers, for instance `token-requests`. */
  policy: string;
  unit: 'requests' | 'tokens' | 'concurrent-requests';
  /** Maximum per minute, or, for concurrent requests, at once. */
  limit: number;
  remaining: number;
  /** Seconds until the limit is fully restored. */
  resetSeconds: number;
}

/** Writer of a response's head. */
interface Head {
  header(name: string, value: string): void;
}

export function sendLimitHeaders(client: Head, states: readonly RateLimitState[]): void {
  if (states.length === 0) return;
  client.header('ratelimit-policy', states.map(formatPolicy).join(', '));
  client.header('ratelimit', states.map(formatState).join(', '));
  sendTightest(client, states, 'requests');
  sendTightest(client, states, 'tokens');
}

/** Omits the quota unit for requests, the standard's default; the standard defines no unit for tokens. */
function formatPolicy({ policy, unit, limit }: RateLimitState): string {
  if (unit === 'concurrent-requests') return `"${policy}";q=${limit};qu="concurrent-requests"`;
  return `"${policy}";q=${limit};w=60`;
}

function formatState({ policy, remaining, resetSeconds }: RateLimitState): string {
  return `"${policy}";r=${remaining};t=${resetSeconds}`;
}

/** Sends the tightest limit of a kind: OpenAI's headers have room for one. */
function sendTightest(client: Head, states: readonly RateLimitState[], unit: 'requests' | 'tokens'): void {
  let tightest: RateLimitState | undefined;
  for (const state of states) {
    if (state.unit !== unit) continue;
    if (tightest === undefined || state.remaining < tightest.remaining) tightest = state;
  }
  if (tightest === undefined) return;
  client.header(`x-ratelimit-limit-${unit}`, String(tightest.limit));
  client.header(`x-ratelimit-remaining-${unit}`, String(tightest.remaining));
  client.header(`x-ratelimit-reset-${unit}`, `${tightest.resetSeconds}s`);
}

/**
 * Quote of a relayed request: its routing, limits and cost if it were sent now. Nothing is sent, taken or charged.
 */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';
import { apiKeyId } from '../ids.ts';
import { points } from '../money.ts';
import { LARGE_BODY_BYTES, routes } from '../route.ts';
import { verdict } from '../usage/usage-records.ts';

export const quotedPath = z.enum(['/v1/chat/completions', '/v1/messages', '/v1/completions', '/v1/embeddings']);

export const quoteRequest = z.strictObject({
  /**
   * Caller's token; with `users.read` also one of a user with a lower role. Null: no token, as in the playground.
   */
  token_id: apiKeyId.nullable().default(null),
  /** Relay path of the request. */
  path: quotedPath.default('/v1/chat/completions'),
  /** Body of the request. */
  request: boundedRecord(z.string(), z.unknown(), 1_000),
});
export type QuoteRequest = z.output<typeof quoteRequest>;

export const quoteResponse = z.object({
  /** Error that the client would get instead of a response; null when the request would be sent to a channel. */
  refusal: z.object({ status: z.int(), code: z.string(), message: z.string() }).nullable(),
  model: z.string(),
  /** Tokens of the reservation: an estimate of the prompt, and the maximum output. */
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** State of every applicable limit per minute, after this request. */
  limits: z.array(
    z.object({
      policy: z.string(),
      unit: z.enum(['requests', 'tokens', 'concurrent-requests']),
      limit: z.int(),
      remaining: z.int(),
      /** Seconds until the limit is full again. */
      reset_in: z.int(),
    }),
  ),
  /** Selected channel and price; null if no channel was found or searched. */
  offer: z
    .object({
      /** Group whose ratio applies. */
      group: z.string(),
      /** Applicable entry of the price list, and its price type. */
      price_model: z.string(),
      price_type: z.enum(['tokens', 'times']),
      /** Points reserved before the upstream call. */
      hold: points,
      /** Points of the prompt alone; of the call for a price per call. */
      input_cost: points,
      cost_per_1000_output_tokens: points,
      /**
       * Routing decisions: the channels that could serve, in order, and why the others could not; only for
       * administrators.
       */
      verdicts: z.array(verdict),
    })
    .nullable(),
});
export type Quote = z.output<typeof quoteResponse>;

export const quote = routes({
  ask: {
    method: 'POST',
    path: '/api/quote',
    access: 'user',
    bodyMaxBytes: LARGE_BODY_BYTES,
    impersonated: true,
    summary: 'Check whether a request would be served, by which channels, and its hold and cost',
    body: quoteRequest,
    answer: quoteResponse,
  },
});

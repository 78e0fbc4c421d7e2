import { z } from 'zod';
import { seconds } from '../accounts/account.ts';
import { failureClass } from '../codes.ts';

/** Health of a channel for one model, from its calls since the server's start. */
export const modelHealth = z.object({
  model: z.string(),
  /** `open`: left alone after failures; `half-open`: one request at a time tries it again. */
  breaker: z.enum(['closed', 'open', 'half-open']),
  /** 0 when closed. */
  open_until: seconds,
  failures_in_row: z.int(),
  /** Left alone until then because the vendor asked for it, or after a failure; 0 when not. */
  rests_until: seconds,
  /** Smoothed milliseconds to the first content; null before the first answer. */
  first_content_time: z.int().nullable(),
  /** Model named by the last response when it is of another family than the requested one; empty otherwise. */
  served_model: z.string(),
});
export type ModelHealth = z.output<typeof modelHealth>;

/** Why a channel, or one of its keys, was taken out or brought back, and by whom. */
export const channelEvent = z.object({
  created_at: seconds,
  event: z.enum([
    'auto-disabled',
    'auto-enabled',
    /** No cheap request tests it: clients' requests try it, one at a time. */
    'on-trial',
    'disabled',
    'enabled',
    'key-auto-disabled',
    'key-auto-enabled',
    'key-disabled',
    'key-enabled',
    'daily-cap-reached',
    'monthly-cap-reached',
  ]),
  reason: z.string(),
  /** Empty: the gateway itself. */
  username: z.string(),
});
export type ChannelEvent = z.output<typeof channelEvent>;

export const testResult = z.object({
  success: z.boolean(),
  /** Milliseconds. */
  duration: z.int(),
  model: z.string(),
  /** Failure class of a failed call; null when it succeeded. */
  problem: failureClass.nullable(),
  /** The vendor's or the network's own words, without secrets. */
  message: z.string(),
});

/** Settings of a channel that have several parts, and their changes. */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';
import { ratio, tokenRates } from '../catalog/price-rates.ts';
import { pointsAmount } from '../money.ts';

const cap = pointsAmount.min(1).nullable();
/**
 * Spending caps of the channel in a UTC day or month; null: no limit. The channel's own cost counts where it is known,
 * else the price list's. A channel at its cap is skipped until the day or month ends.
 */
export const channelCaps = z.object({ day: cap.default(null), month: cap.default(null) });
export type ChannelCaps = z.output<typeof channelCaps>;

/** Caps in a change, which must send both: a cap that is left out would be removed silently. */
export const channelCapsUpdate = z.object({ day: cap, month: cap });

/** Operator's cost of the channel's calls. */
export const channelCost = z.object({
  /** Factor of the list price; null: unknown. */
  ratio: ratio.nullable().default(null),
  /**
   * Buy prices by the model's name at the vendor, which take precedence over the ratio; rates as in the price list.
   */
  models: boundedRecord(z.string().min(1).max(128), tokenRates, 5_000).default({}),
});
export type ChannelCost = z.output<typeof channelCost>;
/** Default maximum seconds of each phase of a call. */
export const deadlineDefaults = {
  connect: 10,
  /** Until a stream begins; the head of a non-streaming response comes with the response and has `first_content`. */
  first_byte: 60,
  /** Comment lines and empty events do not count as content. */
  first_content: 120,
  /** Seconds between two pieces of content. */
  idle: 120,
  total: 1_800,
} as const;

const deadline = z.int().min(1).max(86_400).nullable().default(null);

/** Seconds; null: the default. */
export const deadlines = z.object({
  connect: z.int().min(1).max(60).nullable().default(null),
  first_byte: deadline,
  first_content: deadline,
  idle: deadline,
  total: deadline,
  /**
   * Maximum seconds to drain a stream after its client disconnects, to learn the exact usage; 0: a moment, or to its
   * end where only the usage report has the cost, such as hidden reasoning.
   */
  read_on_seconds: z.int().min(0).max(600).default(0),
});
export type ChannelDeadlines = z.output<typeof deadlines>;

/** Dotted path of a field, for instance `reasoning.effort`. Fields that determine the metering are refused. */
const bodyPath = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*){0,7}$/)
  .refine(
    (path) => !['model', 'stream', 'stream_options'].includes(path.split('.')[0] ?? ''),
    'must not be model, stream or stream_options',
  );

/** Change of a request's body for the channel's upstream. */
const bodyChange = z.object({
  /** Model names at the vendor; `*` may stand at the end. Empty: all models. */
  models: z.array(z.string().min(1).max(128)).max(100).default([]),
  rename: boundedRecord(bodyPath, bodyPath, 1_000).default({}),
  remove: z.array(bodyPath).max(100).default([]),
  /** Values for fields that the client left out. */
  defaults: boundedRecord(bodyPath, z.json(), 1_000).default({}),
  set: boundedRecord(bodyPath, z.json(), 1_000).default({}),
});

/** Changes to requests before they are sent to this channel's upstream. */
export const requestChanges = z.object({
  /** Sends instructions as the user's, for models without a system role. */
  system_as_user: z.boolean().default(false),
  /** `never`: the upstream cannot stream; `always`: it only streams. Clients get the form that they requested. */
  streaming: z.enum(['as-asked', 'never', 'always']).default('as-asked'),
  bodies: z.array(bodyChange).max(20).default([]),
});

const changed = <T extends z.ZodType>(part: z.ZodDefault<T>) => part.unwrap().optional();

/** Settings of several parts in a change: a part that is left out stays as it is. */
export const partsChange = {
  cost: z.object({ ratio: changed(channelCost.shape.ratio), models: changed(channelCost.shape.models) }),
  deadlines: z.object({
    connect: changed(deadlines.shape.connect),
    first_byte: changed(deadlines.shape.first_byte),
    first_content: changed(deadlines.shape.first_content),
    idle: changed(deadlines.shape.idle),
    total: changed(deadlines.shape.total),
    read_on_seconds: changed(deadlines.shape.read_on_seconds),
  }),
  request_changes: z.object({
    system_as_user: changed(requestChanges.shape.system_as_user),
    streaming: changed(requestChanges.shape.streaming),
    bodies: changed(requestChanges.shape.bodies),
  }),
};

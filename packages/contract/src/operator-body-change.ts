/** Changes of a request's body for a channel's upstream. */
import { z } from 'zod';
import { boundedRecord } from './bounded-record.ts';

/** Dotted path of a field, for instance `reasoning.effort`. Fields that determine the metering are refused. */
const bodyPath = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*){0,7}$/)
  .refine(
    (path) => !['model', 'stream', 'stream_options'].includes(path.split('.')[0] ?? ''),
    'must not be model, stream or stream_options',
  );

export const bodyChange = z.object({
  /** Model names at the vendor; `*` may stand at the end. Empty: all models. */
  models: z.array(z.string().min(1).max(128)).max(100).default([]),
  rename: boundedRecord(bodyPath, bodyPath, 1_000).default({}),
  remove: z.array(bodyPath).max(100).default([]),
  /** Values for fields that the client left out. */
  defaults: boundedRecord(bodyPath, z.json(), 1_000).default({}),
  set: boundedRecord(bodyPath, z.json(), 1_000).default({}),
});

import { z } from 'zod';

/** An object whose fields have any name. A body may hold at most so many of them, which the OpenAPI document says too. */
export function boundedRecord<K extends z.core.$ZodRecordKey, V extends z.core.SomeType>(
  name: K,
  value: V,
  maxProperties: number,
) {
  return z
    .record(name, value)
    .refine((fields) => Object.keys(fields).length <= maxProperties, `At most ${maxProperties} fields`)
    .meta({ maxProperties });
}

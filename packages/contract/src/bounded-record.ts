import { z } from 'zod';

/**
 * Returns the schema of an object with arbitrary field names and a maximum number of fields, which is also in the
 * OpenAPI document.
 */
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

import { z } from 'zod';
import { routes } from '../route.ts';
import { price } from './prices.ts';

const tokens = z.int().min(1).max(1_000_000_000);

/** Documented facts of a model; unknown ones are left out. */
export const modelMetadata = z.object({
  /** Maximum tokens of prompt and response together. */
  context_length: tokens.optional(),
  /** Maximum tokens of a response. */
  output_max: tokens.optional(),
  input: z
    .array(z.enum(['text', 'image', 'audio', 'video', 'file']))
    .max(10)
    .optional(),
  output: z
    .array(z.enum(['text', 'image', 'audio', 'video', 'embedding']))
    .max(10)
    .optional(),
  capabilities: z
    .array(z.enum(['tools', 'reasoning', 'json-schema', 'web-search']))
    .max(10)
    .optional(),
  released: z.iso.date().optional(),
  /** Retirement date at the model's vendor; the model may stay available elsewhere. */
  retires: z.iso.date().optional(),
  deprecated: z.literal(true).optional(),
  /** Replacement that the vendor recommends. */
  successor: z.string().max(128).optional(),
});
export type ModelMetadata = z.output<typeof modelMetadata>;

export const DISPLAY_NAME_MAX = 100;
export const DESCRIPTION_MAX = 500;
const TAG_MAX = 24;
const TAGS_MAX = 6;

/** Metadata with a name and a description, which only administrators write. */
export const describedMetadata = modelMetadata.extend({
  /** Display name. */
  name: z.string().trim().min(1).max(DISPLAY_NAME_MAX).optional(),
  /** Plain text. */
  description: z.string().trim().min(1).max(DESCRIPTION_MAX).optional(),
  tags: z
    .array(z.string().trim().min(1).max(TAG_MAX))
    .max(TAGS_MAX)
    .refine((tags) => new Set(tags).size === tags.length, 'Each tag can appear only once')
    .optional(),
});
export type DescribedMetadata = z.output<typeof describedMetadata>;

/** Manual description of a model; the lists supply absent fields. */
export const manualMetadata = describedMetadata.extend({
  /** False also overrides the lists. */
  deprecated: z.boolean().optional(),
});
export type ManualMetadata = z.output<typeof manualMetadata>;

/** Returns the effective facts of a model: field by field the manual description, otherwise the lists. */
export function mergeMetadata(listed: DescribedMetadata, own: ManualMetadata): DescribedMetadata {
  const { deprecated, ...facts } = { ...listed, ...own };
  return deprecated === true ? { ...facts, deprecated } : facts;
}

const availableModel = describedMetadata.extend({
  /** Groups whose members may call the model. */
  groups: z.array(z.string()),
  owned_by: z.string(),
  /** Null if no price covers the model, so that the default price applies. */
  price: price.nullable(),
});

export const models = routes({
  available: {
    method: 'GET',
    path: '/api/available_model',
    access: 'anyone',
    summary: "List the models of the public groups and the caller's own group, by name",
    answer: z.record(z.string(), availableModel),
  },
  own: {
    method: 'GET',
    path: '/api/user/models',
    access: 'user',
    summary: 'List the names of the models that the caller can use',
    answer: z.array(z.string()),
  },
});

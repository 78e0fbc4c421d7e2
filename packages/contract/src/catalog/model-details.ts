/** Manual descriptions of models by administrators. They take precedence over the lists, field by field. */
import { z } from 'zod';
import { emptyData, IMPORT_BODY_MAX_VALUES, routes } from '../route.ts';
import { externalSource, LIST_MAX_BYTES } from './catalog-updates.ts';
import { manualMetadata, modelMetadata } from './models.ts';

/** Maximum number of entries in one import. */
export const IMPORT_MAX = 5_000;

/** Exact name of a model; a pattern with `*` is refused, because each model has its own description. */
const model = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^*]*$/, 'A model name cannot contain *');

export const modelDetail = manualMetadata.extend({ model });
export type ModelDetail = z.output<typeof modelDetail>;

const describedModel = z.object({
  model: z.string(),
  /** True if an enabled channel offers the model. */
  offered: z.boolean(),
  /** Facts from the lists; null: none. */
  listed: modelMetadata.nullable(),
  /** Manual description; null: none. */
  own: manualMetadata.nullable(),
});
export type DescribedModel = z.output<typeof describedModel>;

/** Effect of importing an entry: the model has no manual description yet, a different one, or the same one. */
const importState = z.enum(['new', 'other', 'same']);

const importProblem = z.object({
  /** Index of the entry in the list, from 0. */
  index: z.int(),
  model: z.string(),
  /** Path of the field; empty: the whole entry. */
  path: z.string(),
  rule: z.string(),
  message: z.string(),
  limit: z.number().optional(),
  expected: z.string().optional(),
});
export type ImportProblem = z.output<typeof importProblem>;

const readDetails = z.object({
  entries: z.array(z.object({ detail: modelDetail, state: importState })),
  /** Entries that were left out. */
  problems: z.array(importProblem),
});
export type ParsedDetails = z.output<typeof readDetails>;

/** Choices for models that already have a different description. */
export const existingModelChoices = ['skip', 'overwrite'] as const;

const byModel = z.object({ model: z.string().max(128) });

export const modelDetails = routes({
  list: {
    method: 'GET',
    path: '/api/model_info',
    access: 'prices.read',
    summary: 'List all offered, priced or known models with their details from lists and manual entries',
    answer: z.array(describedModel),
  },
  create: {
    method: 'POST',
    path: '/api/model_info',
    access: 'prices.write',
    summary: 'Create the manual details of a model',
    body: modelDetail,
    answer: modelDetail,
  },
  update: {
    method: 'PUT',
    path: '/api/model_info/:model',
    access: 'prices.write',
    summary: 'Replace the manual details of a model',
    params: byModel,
    body: manualMetadata,
    answer: modelDetail,
  },
  remove: {
    method: 'DELETE',
    path: '/api/model_info/:model',
    access: 'prices.write',
    summary: 'Delete the manual details of a model; the lists apply again',
    params: byModel,
    answer: emptyData,
  },
  read: {
    method: 'POST',
    path: '/api/model_info/read',
    access: 'prices.write',
    summary: 'Read a list of model details for a preview; changes nothing',
    bodyMaxBytes: LIST_MAX_BYTES,
    body: externalSource,
    answer: readDetails,
  },
  import: {
    method: 'POST',
    path: '/api/model_info/import',
    access: 'prices.write',
    bodyMaxValues: IMPORT_BODY_MAX_VALUES,
    summary: 'Import the details of several models, all or none',
    bodyMaxBytes: LIST_MAX_BYTES,
    body: z.object({
      details: z
        .array(modelDetail)
        .min(1)
        .max(IMPORT_MAX)
        .refine(
          (details) => new Set(details.map((detail) => detail.model)).size === details.length,
          'Each model can appear only once',
        ),
      known: z.enum(existingModelChoices),
    }),
    answer: z.object({ created: z.int(), overwritten: z.int(), skipped: z.int() }),
  },
});

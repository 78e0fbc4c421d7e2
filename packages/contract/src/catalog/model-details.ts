/** Manual descriptions of models by administrators. They precede the lists, field by field. */
import { z } from 'zod';
import { MANY_VALUES, nothing, routes } from '../route.ts';
import { foreignSource, LIST_MAX_BYTES } from './catalogue.ts';
import { modelFacts, ownFacts } from './models.ts';

/** Maximum number of entries in one import. */
export const IMPORT_MAX = 5_000;

/** Exactly this model: a name with a `*` stands for others, of which each is described by itself. */
const model = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^*]*$/, 'A * stands for other models');

export const modelDetail = ownFacts.extend({ model });
export type ModelDetail = z.output<typeof modelDetail>;

const describedModel = z.object({
  model: z.string(),
  /** An enabled channel offers it. */
  offered: z.boolean(),
  /** Null: the lists say nothing of it. */
  listed: modelFacts.nullable(),
  /** Null: nobody wrote anything of it. */
  own: ownFacts.nullable(),
});
export type DescribedModel = z.output<typeof describedModel>;

/** Effect of importing an entry: the model has no manual description yet, a different one, or the same one. */
const importState = z.enum(['new', 'other', 'same']);

const importProblem = z.object({
  /** Index of the entry in the list, from 0. */
  index: z.int(),
  model: z.string(),
  /** Its field; empty: the whole entry. */
  path: z.string(),
  rule: z.string(),
  message: z.string(),
});
export type ImportProblem = z.output<typeof importProblem>;

const readDetails = z.object({
  entries: z.array(z.object({ detail: modelDetail, state: importState })),
  /** Entries that were left out. */
  problems: z.array(importProblem),
});
export type ReadDetails = z.output<typeof readDetails>;

/** Choices for models that already have a different description. */
export const knownChoices = ['skip', 'overwrite'] as const;

const byModel = z.object({ model: z.string().max(128) });

export const modelDetails = routes({
  list: {
    method: 'GET',
    path: '/api/model_info',
    access: 'prices.read',
    summary: 'Every model that is offered, priced or known, with what the lists and what somebody says of it',
    answer: z.array(describedModel),
  },
  create: {
    method: 'POST',
    path: '/api/model_info',
    access: 'prices.write',
    summary: 'Describes a model by hand',
    body: modelDetail,
    answer: modelDetail,
  },
  update: {
    method: 'PUT',
    path: '/api/model_info/:model',
    access: 'prices.write',
    summary: 'Changes what was written of a model, all of it',
    params: byModel,
    body: ownFacts,
    answer: modelDetail,
  },
  remove: {
    method: 'DELETE',
    path: '/api/model_info/:model',
    access: 'prices.write',
    summary: 'Deletes what was written of a model; what the lists say holds again',
    params: byModel,
    answer: nothing,
  },
  read: {
    method: 'POST',
    path: '/api/model_info/read',
    access: 'prices.write',
    summary: 'Reads a list of details for a preview; changes nothing',
    bodyMaxBytes: LIST_MAX_BYTES,
    body: foreignSource,
    answer: readDetails,
  },
  import: {
    method: 'POST',
    path: '/api/model_info/import',
    access: 'prices.write',
    bodyMaxValues: MANY_VALUES,
    summary: 'Takes over details of many models, all or none',
    bodyMaxBytes: LIST_MAX_BYTES,
    body: z.object({
      details: z
        .array(modelDetail)
        .min(1)
        .max(IMPORT_MAX)
        .refine(
          (details) => new Set(details.map((detail) => detail.model)).size === details.length,
          'Each model stands there once',
        ),
      known: z.enum(knownChoices),
    }),
    answer: z.object({ created: z.int(), overwritten: z.int(), skipped: z.int() }),
  },
});

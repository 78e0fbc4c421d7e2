/** Model details that administrators write by hand, in addition to the lists. */

import { isDeepStrictEqual } from 'node:util';
import type { ExternalSource } from '@switchyard/contract/catalog/catalog-updates';
import {
  type DescribedModel,
  IMPORT_MAX,
  type ImportProblem,
  type ModelDetail,
  modelDetail,
  type modelDetails,
  type ParsedDetails,
} from '@switchyard/contract/catalog/model-details';
import type { ManualMetadata } from '@switchyard/contract/catalog/models';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { isObject } from '@switchyard/relay/json';
import type { Kysely } from 'kysely';
import { listOfferedModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { alreadyExists, fieldError, notFound } from '../../platform/http/app-error.ts';
import { issueContext, toFieldErrors } from '../../platform/http/field-errors.ts';
import type { Schema } from '../../schema.ts';
import { readForeignList } from '../catalog-updates/catalog-updates.ts';
import { loadMetadataLists, loadModelDetails } from '../models/models.ts';
import { loadPrices } from '../prices/prices.ts';

/** Reads a list of details. An invalid entry is skipped as a whole and reported. */

/** Reads our exports, responses of a management API, and plain lists. @throws AppError at the field of the list */
export async function readDetails(ctx: Context, source: ExternalSource): Promise<ParsedDetails> {
  const items = findItems(await readForeignList(ctx, source));
  if (items === undefined) throw fieldError(source.from, 'unknown-list', 'This is not a list of models');
  if (items.length === 0) throw fieldError(source.from, 'empty-list', 'The list contains no models');
  if (items.length > IMPORT_MAX)
    throw fieldError(source.from, 'list-too-long', `The list has more than ${IMPORT_MAX} entries`);
  const present = await loadModelDetails(ctx);
  const entries: ParsedDetails['entries'] = [];
  const problems: ImportProblem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const fields = mapFields(isObject(item) ? item : {});
    const name = typeof fields['model'] === 'string' ? fields['model'].slice(0, 128) : '';
    const refuse = (path: string, rule: string, message: string) =>
      problems.push({ index, model: name, path, rule, message });
    const parsed = modelDetail.safeParse(fields, issueContext);
    if (!parsed.success) {
      for (const field of toFieldErrors(parsed.error.issues, fields)) problems.push({ index, model: name, ...field });
      continue;
    }
    const { model, ...facts } = parsed.data;
    if (seen.has(model)) refuse('model', 'already-exists', 'This name appears more than once');
    else if (Object.keys(facts).length === 0) refuse('', 'required', 'At least one detail of the model is required');
    else entries.push({ detail: parsed.data, state: compareFacts(present.get(model), facts) });
    seen.add(model);
  }
  return { entries, problems };
}

function compareFacts(before: object | undefined, facts: object): 'new' | 'other' | 'same' {
  if (before === undefined) return 'new';
  return isDeepStrictEqual(before, facts) ? 'same' : 'other';
}

function findItems(list: unknown): readonly unknown[] | undefined {
  if (Array.isArray(list)) return list;
  if (!isObject(list)) return undefined;
  return [list['data'], list['models']].find((value) => Array.isArray(value));
}

/** Our names for One Hub's fields with the same meaning. */
const oneHubNames: Readonly<Record<string, string>> = {
  max_tokens: 'output_max',
  input_modalities: 'input',
  output_modalities: 'output',
};

/** Maps an item to our field names, and drops empty values: One Hub writes 0, an empty text or list. */
function mapFields(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ownName = (name: string): string => (Object.hasOwn(oneHubNames, name) ? oneHubNames[name] : undefined) ?? name;
  const fields = Object.entries(item).map(([name, value]) => [ownName(name), value] as const);
  return Object.fromEntries(fields.filter(([, value]) => !isEmptyValue(value)));
}

function isEmptyValue(value: unknown): boolean {
  return value === null || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}

type Import = RouteInput<(typeof modelDetails)['import']>['body'];
type Imported = RouteResponse<(typeof modelDetails)['import']>;

/** Returns the described models by name, without aliases. */
export const listDescribedModels = cacheUntilChanged(
  ['channels', 'models', 'prices'],
  async (ctx: Context): Promise<DescribedModel[]> => {
    const lists = await loadMetadataLists(ctx);
    const details = await loadModelDetails(ctx);
    const offered = new Set((await listOfferedModels(ctx)).map(({ model }) => model));
    const priced = (await loadPrices(ctx)).map(({ model }) => model);
    const names = new Set([...offered, ...priced, ...lists.models, ...details.keys()]);
    return [...names]
      .filter((model) => !model.endsWith('*'))
      .toSorted()
      .map((model) => {
        const { model: _name, owner: _maker, ...listed } = lists.findMetadata(model) ?? {};
        return {
          model,
          offered: offered.has(model),
          listed: Object.keys(listed).length === 0 ? null : listed,
          own: details.get(model) ?? null,
        };
      });
  },
);

/** @throws AppError `already-exists`, `invalid-input` if all fields are empty */
export async function createDetail(ctx: Context, { model, ...facts }: ModelDetail): Promise<ModelDetail> {
  const { numInsertedOrUpdatedRows } = await ctx.db.writer
    .insertInto('model_detail')
    .values({ model, facts: serializeFacts(facts) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw alreadyExists('model', `${model} already has a description`);
  await ctx.changes.publish({ topic: 'models' });
  return { model, ...facts };
}

/** @throws AppError `not-found`, `invalid-input` if all fields are empty */
export async function updateDetail(ctx: Context, model: string, facts: ManualMetadata): Promise<ModelDetail> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('model_detail')
    .set({ facts: serializeFacts(facts) })
    .where('model', '=', model)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound('description of the model', model);
  await ctx.changes.publish({ topic: 'models' });
  return { model, ...facts };
}

/** @throws AppError `not-found` */
export async function removeDetail(ctx: Context, model: string): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('model_detail')
    .where('model', '=', model)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('description of the model', model);
  await ctx.changes.publish({ topic: 'models' });
}

/** Imports all details, or none. @throws AppError `invalid-input` if one has only empty fields */
export async function importDetails(ctx: Context, { details, known }: Import): Promise<Imported> {
  const counts = await ctx.db.writer.transaction().execute(async (trx) => {
    const before = await listDetailNames(trx);
    const others = details.filter(({ model }) => before.has(model)).length;
    const imported = known === 'skip' ? details.filter(({ model }) => !before.has(model)) : details;
    for (const { model, ...facts } of imported) {
      const row = { facts: serializeFacts(facts) };
      await trx
        .insertInto('model_detail')
        .values({ model, ...row })
        .onConflict((conflict) => conflict.column('model').doUpdateSet(row))
        .execute();
    }
    const [overwritten, skipped] = known === 'skip' ? [0, others] : [others, 0];
    return { created: details.length - others, overwritten, skipped };
  });
  await ctx.changes.publish({ topic: 'models' });
  return counts;
}

async function listDetailNames(db: Kysely<Schema>): Promise<Set<string>> {
  const rows = await db.selectFrom('model_detail').select('model').execute();
  return new Set(rows.map(({ model }) => model));
}

function serializeFacts(facts: ManualMetadata): string {
  if (Object.values(facts).every((value) => value === undefined))
    throw fieldError('name', 'required', 'At least one detail of the model is required');
  return JSON.stringify(facts);
}

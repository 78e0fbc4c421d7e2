/** Models available to each user: those that enabled channels offer, filtered by group. */

import { readFileSync } from 'node:fs';
import {
  describedMetadata,
  type ManualMetadata,
  manualMetadata,
  mergeMetadata,
  type models,
} from '@switchyard/contract/catalog/models';
import type { RouteResponse } from '@switchyard/contract/route';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { listVisibleGroups } from '../../accounts/user-groups/user-groups.ts';
import { listOfferedModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { cacheByKeyUntilChanged, cacheUntilChanged } from '../../platform/caches.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import type { Schema } from '../../schema.ts';
import { loadOwnerNameLookup } from '../model-owners/model-owners.ts';
import { loadPriceLookup } from '../prices/prices.ts';

/** Facts about a model, from the list of `scripts/update-shipped-lists.ts` and from other lists. */

const knownModel = describedMetadata.extend({
  /** A name, or `prefix*`. */
  model: z.string(),
  /** Company that made the model; absent if only hosts are known. */
  owner: z.string().optional(),
});
export type KnownModel = z.output<typeof knownModel>;

/** Matches `openai/gpt-5` of hosts, `us.anthropic.claude-…` of Bedrock. */
const vendorPrefix = /^(?:.*\/|(?:[a-z]{2,8}\.)?anthropic\.)/;
/** Matches the date of a release in the forms of OpenAI, Anthropic, Vertex and Bedrock. */
const dateSuffix = /[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?:-v\d+(?::\d+)?)?$/;

/**
 * Creates a lookup by a model's exact name, then without a vendor prefix, then without a date suffix, and last by
 * `prefix*` entries.
 */
export function createModelLookup<T extends { model: string }>(
  entries: readonly T[],
): (model: string) => T | undefined {
  const named = new Map(entries.map((entry) => [entry.model, entry]));
  const byPrefix = createNameLookup(entries.filter(({ model }) => model.endsWith('*')));
  return (model) => {
    const short = model.replace(vendorPrefix, '');
    const names = [model, short, short.replace(dateSuffix, '')];
    for (const find of [(name: string) => named.get(name), byPrefix])
      for (const name of names) {
        const entry = find(name);
        if (entry !== undefined) return entry;
      }
    return undefined;
  };
}

export function readShippedModels(): KnownModel[] {
  const text = readFileSync(new URL('./shipped-models.json', import.meta.url), 'utf8');
  return z.object({ models: z.array(knownModel) }).parse(JSON.parse(text)).models;
}

type Available = RouteResponse<(typeof models)['available']>;

export type FindModelMetadata = (model: string) => KnownModel | undefined;

/** Maximum number of cached model lists. One of 1,000 models takes about 1 MB with its encoded bytes. */
const VIEWS_MAX = 16;

const shipped = readShippedModels();

interface MetadataLists {
  models: readonly string[];
  /**
   * Finds the metadata by a model's name, with or without the prefix of a vendor or host; undefined if no list
   * contains it.
   */
  findMetadata: FindModelMetadata;
}

/** Loads the facts from the lists. Facts that the operator approved take precedence over the shipped list. */
export const loadMetadataLists = cacheUntilChanged('models', async (ctx: Context): Promise<MetadataLists> => {
  const rows = await ctx.db.writer.selectFrom('model_facts').select(['model', 'facts']).execute();
  const approved = rows.map(({ model, facts }) => knownModel.parse({ ...JSON.parse(facts), model }));
  const entries = [...shipped, ...approved];
  return { models: entries.map(({ model }) => model), findMetadata: createModelLookup(entries) };
});

/** Loads the handwritten details, by model. */
export const loadModelDetails = cacheUntilChanged(
  'models',
  async (ctx: Context): Promise<ReadonlyMap<string, ManualMetadata>> => {
    const rows = await ctx.db.writer.selectFrom('model_detail').selectAll().execute();
    return new Map(rows.map(({ model, facts }) => [model, manualMetadata.parse(JSON.parse(facts))]));
  },
);

/**
 * Loads a function that returns a model's metadata, or undefined if there is none. Handwritten details take
 * precedence over lists.
 */
export const loadModelMetadata = cacheUntilChanged('models', async (ctx: Context): Promise<FindModelMetadata> => {
  const { findMetadata } = await loadMetadataLists(ctx);
  const details = await loadModelDetails(ctx);
  return (model) => {
    const [listed, own] = [findMetadata(model), details.get(model)];
    return own === undefined ? listed : { model, owner: listed?.owner, ...mergeMetadata(listed ?? {}, own) };
  };
});

/** Replaces the known facts of each model. Publish the topic `models` after the commit. */
export async function saveModelMetadata(trx: Transaction<Schema>, known: readonly KnownModel[]): Promise<void> {
  for (const { model, ...facts } of known) {
    const row = { facts: JSON.stringify(facts) };
    await trx
      .insertInto('model_facts')
      .values({ model, locked: 0, ...row })
      .onConflict((conflict) => conflict.column('model').doUpdateSet(row))
      .execute();
  }
}

/**
 * Returns the models of the public groups and of the caller's own group. Models without a visible group are left out.
 * Callers who see the same groups get the same object.
 */
export async function listAvailableModels(ctx: Context, caller: Caller | undefined): Promise<Available> {
  return loadAvailableModels(ctx, JSON.stringify(Object.keys(await listVisibleGroups(ctx, caller))));
}

/** Loads the models of groups. The key is the JSON list of the groups' symbols. */
const loadAvailableModels = cacheByKeyUntilChanged(
  ['channels', 'models', 'prices'],
  VIEWS_MAX,
  async (ctx: Context, symbols): Promise<Available> => {
    const visible = new Set(z.array(z.string()).parse(JSON.parse(symbols)));
    const priceOf = await loadPriceLookup(ctx);
    const factsOf = await loadModelMetadata(ctx);
    const ownerOf = await loadOwnerNameLookup(ctx);
    const found: [string, Available[string]][] = [];
    for (const { model, groups, provider } of await listNamedModels(ctx)) {
      const shown = groups.filter((symbol) => visible.has(symbol));
      if (shown.length === 0) continue;
      const price = priceOf(model) ?? null;
      const owner = ownerOf(price?.channel_type, provider);
      const { model: _name, owner: _maker, ...facts } = factsOf(model) ?? {};
      found.push([model, { ...facts, groups: shown, owned_by: owner ?? '', price }]);
    }
    return Object.fromEntries(found);
  },
);

/** Returns the models that the caller's own tokens can call by default. */
export async function listCallableModels(ctx: Context, caller: Caller): Promise<string[]> {
  const offered = await listNamedModels(ctx);
  return offered.filter(({ groups }) => groups.includes(caller.groupSymbol)).map(({ model }) => model);
}

/** Returns the offered models without wildcard names, which cannot be called. */
async function listNamedModels(ctx: Context): ReturnType<typeof listOfferedModels> {
  return (await listOfferedModels(ctx)).filter(({ model }) => !model.endsWith('*'));
}

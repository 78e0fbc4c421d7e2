/** Models available to each user: those that enabled channels offer, filtered by group. */
import { mergedFacts, type models, type OwnFacts, ownFacts } from '@switchyard/contract/catalog/models';
import type { RouteAnswer } from '@switchyard/contract/route';
import type { Transaction } from 'kysely';
import { visibleGroups } from '../../accounts/user-groups/user-groups.ts';
import { offeredModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import type { Schema } from '../../schema.ts';
import { loadOwnerNames } from '../model-owners/model-owners.ts';
import { loadPriceLookup } from '../prices/prices.ts';
import { createFactsLookup, type KnownModel, knownModel, readShippedModels } from './model-facts.ts';

export { createFactsLookup, type KnownModel, readShippedModels } from './model-facts.ts';

type Available = RouteAnswer<(typeof models)['available']>;

export type FindFacts = (model: string) => KnownModel | undefined;

const shipped = readShippedModels();

interface Lists {
  models: readonly string[];
  /** Finds the facts by the name of a model's vendor or of a host; undefined when the lists say nothing of it. */
  factsOf: FindFacts;
}

/** Loads the facts from the lists. Facts that the operator approved take precedence over the shipped list. */
export const loadLists = keptUntilChanged('models', async (ctx: Context): Promise<Lists> => {
  const rows = await ctx.db.writer.selectFrom('model_facts').select(['model', 'facts']).execute();
  const approved = rows.map(({ model, facts }) => knownModel.parse({ ...JSON.parse(facts), model }));
  const entries = [...shipped, ...approved];
  return { models: entries.map(({ model }) => model), factsOf: createFactsLookup(entries) };
});

/** Loads the handwritten details, by model. */
export const loadDetails = keptUntilChanged(
  'models',
  async (ctx: Context): Promise<ReadonlyMap<string, OwnFacts>> => {
    const rows = await ctx.db.writer.selectFrom('model_detail').selectAll().execute();
    return new Map(rows.map(({ model, facts }) => [model, ownFacts.parse(JSON.parse(facts))]));
  },
);

/** Finds what is known of a model; undefined when that is nothing. What somebody wrote goes before the lists. */
export const loadFacts = keptUntilChanged('models', async (ctx: Context): Promise<FindFacts> => {
  const { factsOf } = await loadLists(ctx);
  const details = await loadDetails(ctx);
  return (model) => {
    const [listed, own] = [factsOf(model), details.get(model)];
    return own === undefined ? listed : { model, owner: listed?.owner, ...mergedFacts(listed ?? {}, own) };
  };
});

/** Replaces the known facts of each model. Publish the topic `models` after the commit. */
export async function saveFacts(trx: Transaction<Schema>, known: readonly KnownModel[]): Promise<void> {
  for (const { model, ...facts } of known) {
    const row = { facts: JSON.stringify(facts) };
    await trx
      .insertInto('model_facts')
      .values({ model, locked: 0, ...row })
      .onConflict((conflict) => conflict.column('model').doUpdateSet(row))
      .execute();
  }
}

/** Models of the public groups and of the caller's own; those without a visible group are left out. */
export async function availableModels(ctx: Context, caller: Caller | undefined): Promise<Available> {
  const visible = await visibleGroups(ctx, caller);
  const priceOf = await loadPriceLookup(ctx);
  const factsOf = await loadFacts(ctx);
  const ownerOf = await loadOwnerNames(ctx);
  const found: [string, Available[string]][] = [];
  for (const { model, groups, provider } of await namedModels(ctx)) {
    const shown = groups.filter((symbol) => symbol in visible);
    if (shown.length === 0) continue;
    const price = priceOf(model) ?? null;
    const owner = ownerOf(price?.channel_type, provider);
    const { model: _name, owner: _maker, ...facts } = factsOf(model) ?? {};
    found.push([model, { ...facts, groups: shown, owned_by: owner ?? '', price }]);
  }
  return Object.fromEntries(found);
}

/** Names of the models that the caller's own tokens reach, by default. */
export async function ownModels(ctx: Context, caller: Caller): Promise<string[]> {
  const offered = await namedModels(ctx);
  return offered.filter(({ groups }) => groups.includes(caller.groupSymbol)).map(({ model }) => model);
}

/** A name that ends with `*` stands for others; nobody can call it. */
async function namedModels(ctx: Context): ReturnType<typeof offeredModels> {
  return (await offeredModels(ctx)).filter(({ model }) => !model.endsWith('*'));
}

/** Which models there are for whom: what enabled channels offer, seen through the groups. */
import type { models } from '@switchyard/contract/models';
import type { RouteAnswer } from '@switchyard/contract/route';
import { providers } from '@switchyard/relay';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../db/schema.ts';
import type { Caller } from '../../platform/caller.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import { offeredModels } from '../channels/channels.ts';
import { loadPriceLookup } from '../prices/prices.ts';
import { visibleGroups } from '../user-groups/user-groups.ts';
import { createFactsLookup, type KnownModel, knownModel, readShippedModels } from './model-facts.ts';

export { createFactsLookup, type KnownModel, readShippedModels } from './model-facts.ts';

type Available = RouteAnswer<(typeof models)['available']>;

export type FindFacts = (model: string) => KnownModel | undefined;

const shipped = readShippedModels();

/**
 * Finds what is known of a model, by its vendor's or a host's name; undefined when that is nothing. What the operator
 * approved goes before the shipped list.
 */
export const loadFacts = keptUntilChanged('models', async (ctx: Context): Promise<FindFacts> => {
  const rows = await ctx.db.writer.selectFrom('model_facts').select(['model', 'facts']).execute();
  const own = rows.map(({ model, facts }) => knownModel.parse({ ...JSON.parse(facts), model }));
  return createFactsLookup([...shipped, ...own]);
});

/** In the place of what was known of each; publish the topic `models` once they are committed. */
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
  const found: [string, Available[string]][] = [];
  for (const { model, groups, provider } of await namedModels(ctx)) {
    const shown = groups.filter((symbol) => symbol in visible);
    if (shown.length === 0) continue;
    const price = priceOf(model) ?? null;
    const owner = providers.find((known) =>
      price === null || price.channel_type === 0
        ? known.id === provider
        : known.channelType === price.channel_type,
    );
    const { model: _name, owner: _maker, ...facts } = factsOf(model) ?? {};
    found.push([model, { ...facts, groups: shown, owned_by: owner?.label ?? '', price }]);
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

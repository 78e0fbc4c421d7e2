/** What is known of models: from genai-prices, and what `model-facts.json` says by hand, which wins. */
import { readFileSync } from 'node:fs';
import type { Provider } from '@pydantic/genai-prices';
import { z } from 'zod';
import { createModelLookup, type KnownModel } from '../apps/server/src/catalog/models/models.ts';
import { type ModelMetadata, modelMetadata } from '../packages/contract/src/catalog/models.ts';
import { isVendor, listModels } from './model-names.ts';

const ownMetadataSchema = z.object({
  groups: z.array(
    z.object({
      /** Where it was read; the vendor's page first. */
      sources: z.array(z.url()).min(1),
      owner: z.string(),
      all: modelMetadata,
      models: z.array(modelMetadata.extend({ names: z.array(z.string()).min(1) })),
    }),
  ),
});

export function readOwnModelMetadata(): KnownModel[] {
  const text = readFileSync(new URL('./model-facts.json', import.meta.url), 'utf8');
  return ownMetadataSchema
    .parse(JSON.parse(text))
    .groups.flatMap(({ owner, all, models }) =>
      models.flatMap(({ names, ...facts }) => names.map((model) => ({ model, owner, ...all, ...facts }))),
    );
}

/** One entry for each name that says something which its pattern, or its name without vendor and date, does not say. */
export function listKnownModels(providers: readonly Provider[], own: readonly KnownModel[]): KnownModel[] {
  const listed = listModels(providers, ({ context_window, deprecated }): ModelMetadata | undefined => {
    const facts = {
      ...(context_window !== undefined && { context_length: context_window }),
      ...(deprecated === true && { deprecated }),
    };
    return Object.keys(facts).length === 0 ? undefined : facts;
  }).map(applyVendor);
  const listedOf = createModelLookup(listed);
  const ownOf = createModelLookup(own);
  const names = new Set([...listed, ...own].map(({ model }) => model).filter((name) => !datedPattern.test(name)));
  const known = [...names].map((model) => ({ ...listedOf(model), ...ownOf(stripWildcard(model)), model }));
  return omitRepeated(known.map(sortFields));
}

/** Of all releases of a name: a look-up leaves dates away by itself. */
const datedPattern = /(?:-20|@)\*$/;

const stripWildcard = (model: string): string => model.replace(/\*$/, '');

/** A host is not who made a model, nor is a vendor that offers another's. */
function applyVendor({ owner, ...facts }: KnownModel & { owner: string }): KnownModel {
  return isVendor(owner) && !facts.model.includes('/') ? { ...facts, owner } : facts;
}

/** The same facts in the same order, so that they can be compared. */
function sortFields(entry: KnownModel): KnownModel {
  const { model, owner } = entry;
  return { model, ...(owner !== undefined && { owner }), ...modelMetadata.parse(entry) };
}

/** Without names of which a shorter one, or a pattern, says the same; a pattern only gives way to another. */
function omitRepeated(entries: readonly KnownModel[]): KnownModel[] {
  const kept = new Map(entries.map((entry) => [entry.model, entry]));
  const saying = (entry: KnownModel): string => JSON.stringify({ ...entry, model: '' });
  for (const entry of entries.toSorted((a, b) => b.model.length - a.model.length)) {
    const isPattern = entry.model.endsWith('*');
    kept.delete(entry.model);
    const others = [...kept.values()].filter(({ model }) => !isPattern || model.endsWith('*'));
    const next = createModelLookup(others)(stripWildcard(entry.model));
    if (next === undefined || saying(next) !== saying(entry)) kept.set(entry.model, entry);
  }
  return [...kept.values()].toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

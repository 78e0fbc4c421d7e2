/** Model metadata from genai-prices, and from `model-facts.json`, which is written by hand and wins. */
import { readFileSync } from 'node:fs';
import type { Provider } from '@pydantic/genai-prices';
import { z } from 'zod';
import { createModelLookup, type KnownModel } from '../apps/server/src/catalog/models/models.ts';
import { type ModelMetadata, modelMetadata } from '../packages/contract/src/catalog/models.ts';
import { isVendor, listModels } from './model-names.ts';

const ownMetadataSchema = z.object({
  groups: z.array(
    z.object({
      /** Sources; the vendor's page first. */
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

/**
 * Returns one entry for each name with metadata that its pattern, or its name without vendor and date, does not have.
 */
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

/** Matches releases with a date, because a look-up ignores dates. */
const datedPattern = /(?:-20|@)\*$/;

const stripWildcard = (model: string): string => model.replace(/\*$/, '');

/** Hosts and resellers are not the owners of a model. */
function applyVendor({ owner, ...facts }: KnownModel & { owner: string }): KnownModel {
  return isVendor(owner) && !facts.model.includes('/') ? { ...facts, owner } : facts;
}

/** Returns the metadata in a fixed order, so that they can be compared. */
function sortFields(entry: KnownModel): KnownModel {
  const { model, owner } = entry;
  return { model, ...(owner !== undefined && { owner }), ...modelMetadata.parse(entry) };
}

/** Removes names that a shorter one, or a pattern, covers; a pattern is only covered by another pattern. */
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

/** Facts about models: from the list that `scripts/update-model-list.ts` writes, and from others. */
import { readFileSync } from 'node:fs';
import { describedFacts } from '@switchyard/contract/catalog/models';
import { z } from 'zod';
import { createNameLookup } from '../../platform/prefix-lookup.ts';

export const knownModel = describedFacts.extend({
  /** A name, or `prefix*`. */
  model: z.string(),
  /** Company that made it; absent where only hosts are known. */
  owner: z.string().optional(),
});
export type KnownModel = z.output<typeof knownModel>;

/** `openai/gpt-5` of hosts, `us.anthropic.claude-…` of Bedrock. */
const vendorPrefix = /^(?:.*\/|(?:[a-z]{2,8}\.)?anthropic\.)/;
/** A dated release, as OpenAI, Anthropic, Vertex and Bedrock write it. */
const dateSuffix = /[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?:-v\d+(?::\d+)?)?$/;

/**
 * Finds a model by its name as it is, without a vendor before it, and without a date behind it; only then by what a
 * `prefix*` says of many.
 */
export function createFactsLookup<T extends { model: string }>(
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

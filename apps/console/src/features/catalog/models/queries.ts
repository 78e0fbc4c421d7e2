import { models } from '@switchyard/contract/catalog/models';
import { createClient } from '@switchyard/contract/client';
import type { RouteResponse } from '@switchyard/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import type { PaletteSource } from '../../../ui/overlays/command-palette-result.ts';

const api = createClient(models, send);
const MOST_FOUND = 6;

export type AvailableModels = RouteResponse<typeof models.available>;

/** Query for the names of the models that the signed-in user may call. */
export const ownModelsQuery = queryOptions({
  queryKey: ['models', 'own'],
  queryFn: ({ signal }) => api.own({}, signal),
  staleTime: 60_000,
});

/** Returns a small, cheap model among the names, otherwise the first name. */
export function preferredModel(names: readonly string[] = []): string | undefined {
  return names.find((name) => /mini|flash|haiku/.test(name)) ?? names[0];
}

/** Query for the models with owners, groups and prices; for visitors, those of the public groups. */
export const availableModelsQuery = queryOptions({
  queryKey: ['models', 'available'],
  queryFn: ({ signal }) => api.available({}, signal),
  staleTime: 60_000,
});

export const modelPaletteSource: PaletteSource = {
  heading: 'models',
  access: 'user',
  find: async (text, signal) => {
    const wanted = text.toLowerCase();
    const found = Object.entries(await api.available({}, signal));
    return found
      .filter(([id, { name = '' }]) => `${id} ${name}`.toLowerCase().includes(wanted))
      .slice(0, MOST_FOUND)
      .map(([id, { owned_by, name = owned_by }]) => ({
        id: `model-${id}`,
        title: id,
        detail: name,
        to: paths.models,
        search: { open: id },
      }));
  },
};

import { useQuery } from '@tanstack/react-query';
import { ownModelsQuery } from '../models/queries.ts';

/** A model for examples: one that the user can really call, where there is one. */
export function useExampleModel(): string {
  const names = useQuery(ownModelsQuery).data ?? [];
  return names.find((name) => /mini|flash|haiku/.test(name)) ?? names[0] ?? 'gpt-5-mini';
}

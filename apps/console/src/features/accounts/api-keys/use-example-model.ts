import { useQuery } from '@tanstack/react-query';
import { ownModelsQuery, preferredModel } from '../../catalog/models/queries.ts';

/** A model for examples: one that the user can really call, where there is one. */
export function useExampleModel(): string {
  return preferredModel(useQuery(ownModelsQuery).data) ?? 'gpt-5-mini';
}

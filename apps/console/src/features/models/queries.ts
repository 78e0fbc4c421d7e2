import { createClient } from '@switchyard/contract/client';
import { models } from '@switchyard/contract/models';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../api.ts';

const api = createClient(models, send);

/** Names of the models that the signed-in user may call. */
export const ownModelsQuery = queryOptions({
  queryKey: ['models', 'own'],
  queryFn: ({ signal }) => api.own({}, signal),
  staleTime: 60_000,
});

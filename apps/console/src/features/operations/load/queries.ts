import { createClient } from '@switchyard/contract/client';
import { load } from '@switchyard/contract/operations/load';
import { queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(load, send);

export const loadQuery = queryOptions({
  queryKey: ['load'],
  queryFn: ({ signal }) => api.get({}, signal),
  refetchInterval: 10_000,
});

import type { Page } from '@switchyard/contract/route';
import { keepPreviousData, type QueryKey, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';

/** Returns options of a query that shows the former data until the new data is loaded, for instance of another page. */
export const queryKeepingPrevious = <Key extends QueryKey, Data>(
  queryKey: Key,
  read: (signal: AbortSignal) => Promise<Data>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => read(signal), placeholderData: keepPreviousData });

/**
 * Changes a feature's lists and invalidates all of the feature's queries afterwards.
 * @param all prefix of every query key of the feature
 */
export function useListChange<Input, Output>(all: QueryKey, mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

/**
 * Sends a change that lists show before the server responds.
 * @param changed returns a row after the change
 */
export function useQuickListChange<Row, Input, Output>(
  all: QueryKey,
  mutationFn: (input: Input) => Promise<Output>,
  changed: (row: Row, input: Input) => Row,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onMutate: (input) => {
      client.setQueriesData<Page<Row>>({ queryKey: [...all, 'list'] }, (page) =>
        page === undefined ? page : { ...page, data: page.data.map((row) => changed(row, input)) },
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: all }),
  });
}

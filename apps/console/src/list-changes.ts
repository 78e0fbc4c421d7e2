/** Changes of what a feature lists. Afterwards everything that was read of the feature is read again. */
import type { Page } from '@switchyard/contract/route';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

/** @param all the beginning of every key of the feature */
export function useListChange<Input, Output>(all: QueryKey, mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: all }) });
}

/**
 * A change that the lists show at once, before the server has answered.
 * @param changed a listed row as it will be
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

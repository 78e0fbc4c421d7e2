import type { UserId } from '@switchyard/contract/ids';
import { useListState } from '../../../ui/table/list-state.ts';
import { EntriesTable } from './entries-table.tsx';
import { EntryFilters, filterNames } from './entry-filters.tsx';

/** Lists the audit entries of a user's actions and of changes to the account. */
export function EntriesAboutUser({ id }: { id: UserId }) {
  const list = useListState(filterNames, '-created_at');
  const about = { ...list.filters, about_user: String(id) };
  return <EntriesTable list={{ ...list, filters: about }} filterBar={<EntryFilters list={list} />} />;
}

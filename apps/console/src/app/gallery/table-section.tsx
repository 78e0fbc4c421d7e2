import Button from '@mui/material/Button';
import { StatusChip } from '../../ui/display/chips.tsx';
import { EmptyState } from '../../ui/feedback/panels.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../ui/filters/filter-chip.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { useListState } from '../../ui/table/list-state.ts';
import { columnsFor } from '../../ui/table/table-features.ts';

interface Channel {
  name: string;
  status: 'enabled' | 'disabled';
  latency: number;
}

const column = columnsFor<Channel>();
const columns = [
  column.field('name', 'Name', { sortable: true, card: 'title' }),
  column.field('status', 'Status', {
    card: 'state',
    cell: (status) => <StatusChip tone={status === 'enabled' ? 'success' : 'neutral'}>{status}</StatusChip>,
  }),
  column.field('latency', 'Latency', { card: 'figure', align: 'end' }),
];
const rows: Channel[] = Array.from({ length: 8 }, (_, index) => ({
  name: `openai-${index}`,
  status: index % 3 === 0 ? 'disabled' : 'enabled',
  latency: 300 + index * 40,
}));
const query = { data: { data: rows, total_count: 213 }, isFetching: false, error: null, refetch: () => {} };

export function TableSection() {
  const list = useListState(['status'], 'name');
  return (
    <DataTable
      name="gallery"
      label="Channels"
      columns={columns}
      list={list}
      query={query}
      rowId={(row) => row.name}
      onOpen={() => {}}
      renderBulkActions={(chosen) => (
        <Button size="small" variant="outlined">
          Disable {chosen.length}
        </Button>
      )}
      filterBar={
        <FilterBar list={list} placeholder="Name, model, key">
          <FilterChips
            list={list}
            chips={[{ name: 'status', label: 'Status', options: [{ value: 'enabled', label: 'Enabled' }] }]}
          />
        </FilterBar>
      }
      totals={<span>total used $1,204.31</span>}
      empty={<EmptyState>None</EmptyState>}
    />
  );
}

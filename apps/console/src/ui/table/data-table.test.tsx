import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { wireSite } from '../../testing/wire-samples.ts';
import { EmptyState } from '../feedback/empty-and-pending-panels.tsx';
import { currentToasts } from '../feedback/toasts.ts';
import { DataTable } from './data-table.tsx';
import { columnsFor } from './table-columns-and-props.ts';
import { useListState } from './url-list-state.ts';

interface Row {
  name: string;
  cost: number;
}

const column = columnsFor<Row>();
const columns = [column.field('name', 'Name', { sortable: true }), column.field('cost', 'Cost', { align: 'end' })];
const rows: Row[] = ['a', 'b', 'c'].map((name, index) => ({ name, cost: index }));
const query = { data: { data: rows, total_count: 120 }, isFetching: false, error: null, refetch: () => {} };

const ignore = () => {};

function Table({ onOpen = ignore, order }: { onOpen?: (row: Row) => void; order?: string }) {
  const list = useListState([], order);
  return (
    <DataTable
      name="test"
      label="Things"
      columns={columns}
      list={list}
      query={query}
      rowId={(row) => row.name}
      onOpen={onOpen}
      renderBulkActions={(chosen) => <span>{chosen.map(({ name }) => name).join('+')}</span>}
      empty={<EmptyState>Nothing</EmptyState>}
    />
  );
}

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it('moves between rows with the arrow keys, opens them with Enter and selects them with Space', async () => {
  const onOpen = vi.fn();
  const { user } = show(<Table onOpen={onOpen} />);
  const first = (await screen.findByText('a')).closest('tr');
  first?.focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{Enter}');
  expect(onOpen).toHaveBeenLastCalledWith(rows[2]);
  await user.keyboard('{Home} ');
  expect(await screen.findByText('1 selected')).toBeTruthy();
  expect(within(screen.getByRole('toolbar')).getByText('a')).toBeTruthy();
});

it('sorts ascending, descending and not at all, and sets `aria-sort`', async () => {
  const { user, search } = show(<Table />);
  const heading = await screen.findByRole('columnheader', { name: 'Name' });
  const button = within(heading).getByRole('button');
  await user.click(button);
  await waitFor(() => expect(search()).toEqual({ order: 'name' }));
  await user.click(button);
  await waitFor(() => expect(heading.getAttribute('aria-sort')).toBe('descending'));
  await user.click(button);
  await waitFor(() => expect(search()).toEqual({}));
});

it('reverses the default sort column', async () => {
  const { user, search } = show(<Table order="-name" />);
  const heading = await screen.findByRole('columnheader', { name: 'Name' });
  await user.click(within(heading).getByRole('button'));
  await waitFor(() => expect(search()).toEqual({ order: 'name' }));
  await user.click(within(heading).getByRole('button'));
  await waitFor(() => expect(search()).toEqual({}));
  expect(heading.getAttribute('aria-sort')).toBe('descending');
});

it('stores the chosen columns', async () => {
  const { user } = show(<Table />);
  await user.click(await screen.findByRole('button', { name: 'View options' }));
  await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Cost' }));
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Cost' })).toBeNull());
  expect(localStorage.getItem('table::test')).toContain('"cost":true');
});

it('opens another page through the URL', async () => {
  const { user, search } = show(<Table />, '/?size=50');
  expect(await screen.findByText('1–50 of 120')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Go to page 3' }));
  await waitFor(() => expect(search()).toEqual({ size: '50', page: '3' }));
  expect(await screen.findByText('101–120 of 120')).toBeTruthy();
});

it('saves a view under a name, opens it again and undoes its deletion', async () => {
  const { user, search } = show(<Table />, '/?keyword=mini&order=-name&open=4');
  await user.click(await screen.findByRole('button', { name: 'View options' }));
  await user.click(screen.getByRole('menuitem', { name: 'Saved views' }));
  const dialog = await screen.findByRole('dialog', { name: 'Saved views' });
  await user.type(await within(dialog).findByLabelText('View name'), 'Small ones{Enter}');
  await within(dialog).findByRole('button', { name: 'Small ones' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete Small ones' }));
  await waitFor(() => expect(within(dialog).queryByRole('button', { name: 'Small ones' })).toBeNull());
  act(() => currentToasts()[0]?.undo?.());
  await within(dialog).findByRole('button', { name: 'Small ones' });
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await user.click(await screen.findByRole('button', { name: 'Name' }));
  await waitFor(() => expect(search()).toEqual({ keyword: 'mini', open: '4' }));
  await user.click(screen.getByRole('button', { name: 'View options' }));
  await user.click(screen.getByRole('menuitem', { name: 'Saved views' }));
  await user.click(await screen.findByRole('button', { name: 'Small ones' }));
  // The open record is not part of the view and stays.
  await waitFor(() => expect(search()).toEqual({ keyword: 'mini', order: '-name', open: '4' }));
});

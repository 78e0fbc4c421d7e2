import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { useMay } from '../../accounts/session/queries.ts';
import { TaskDrawer } from './task-drawer.tsx';
import { filterNames } from './task-filter.ts';
import { TasksTable } from './tasks-table.tsx';

const NEWEST_FIRST = '-created_at';

/** Work that goes on after its request: staff sees everybody's, others their own. `?open=` shows one. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const scope = useMay('records.read') ? 'everybody' : 'own';
  const list = useListState(filterNames, NEWEST_FIRST);
  const [opened, setOpened] = useSearchParam('open');
  return (
    <>
      <PageHeader title={t('title')} />
      <TasksTable scope={scope} list={list} onOpen={setOpened} />
      <TaskDrawer scope={scope} id={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

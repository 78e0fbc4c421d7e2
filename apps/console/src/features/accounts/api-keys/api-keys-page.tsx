import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { apiKeyId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../../ui/actions/confirm-button.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { FilterChips } from '../../../ui/filters/filter-chip.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { FoldedSection } from '../../../ui/form/form-layout.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { LazyOverlay } from '../../../ui/layout/lazy-overlay.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { clientSnippets, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { monoCell } from '../../../ui/table/cells-and-user-columns.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { columnsFor } from '../../../ui/table/table-columns-and-props.ts';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useServerAddress } from '../../site/site/queries.ts';
import { useGroupName, useGroups } from '../user-groups/queries.ts';
import { keyColumns, statuses } from './api-key-columns.tsx';
import { ApiKeyDetailsDrawer } from './api-key-details-drawer.tsx';
import { ApiKeyMenu, useApiKeyActions, useExampleModel } from './api-key-menu-and-actions.tsx';
import { TightestBudget } from './api-key-usage-and-budgets.tsx';
import { apiKeyListQuery, listApiKeys } from './queries.ts';

const ApiKeyEditor = lazy(() => import('./api-key-editor.tsx').then((module) => ({ default: module.ApiKeyEditor })));

/** Lists the user's own tokens. `?open=` shows one, `?edit=` changes one, `?edit=new` creates one. */
export function ApiKeysPage() {
  const { t } = useTranslation('api-keys');
  const [opened, setOpened] = useSearchParam('open');
  const [edited, setEdited] = useSearchParam('edit');
  const [newKey, setNewKey] = useState<string>();
  const shownId = apiKeyId.safeParse(opened).data;
  const editedId = edited === 'new' ? 'new' : apiKeyId.safeParse(edited).data;
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <ApiKeysTable
        onOpen={(key) => setOpened(String(key.id))}
        onEdit={(key) => setEdited(String(key.id))}
        onNewKey={setNewKey}
        empty={
          <Button variant="contained" onClick={create}>
            {t('new')}
          </Button>
        }
      />
      <ApiKeyDetailsDrawer
        id={shownId}
        onClose={() => setOpened(undefined)}
        onEdit={(id) => setEdited(String(id))}
        onNewKey={setNewKey}
      />
      <LazyOverlay open={editedId !== undefined}>
        <ApiKeyEditor
          id={editedId}
          onClose={() => setEdited(undefined)}
          onCreated={(key) => {
            setEdited(undefined);
            setNewKey(key);
          }}
        />
      </LazyOverlay>
      <NewKeyDialog apiKey={newKey} onClose={() => setNewKey(undefined)} />
    </>
  );
}

const QrCode = lazy(() => import('../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })));
const QR_PIXELS = 200;

/** Shows the whole key after it was created or rotated, with snippets for a first call. */
function NewKeyDialog({ apiKey, onClose }: { apiKey: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('api-keys');
  const address = useServerAddress();
  const model = useExampleModel();
  return (
    <TextDialog open={apiKey !== undefined} onClose={onClose} title={t('newKeyTitle')} maxWidth="sm">
      <Alert severity="info">{t('newKeyText')}</Alert>
      {apiKey !== undefined && (
        <>
          <CodeBlock code={apiKey} label={t('theKey')} />
          <FoldedSection title={t('qrCode')} changed={0}>
            <Suspense fallback={null}>
              <QrCode text={apiKey} label={t('qrCode')} size={QR_PIXELS} />
            </Suspense>
          </FoldedSection>
          <SnippetTabs label={t('snippets')} snippets={clientSnippets(address, apiKey, model)} />
        </>
      )}
    </TextDialog>
  );
}

interface ApiKeysTableProps {
  onOpen: (key: ApiKey) => void;
  onEdit: (key: ApiKey) => void;
  onNewKey: (key: string) => void;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

function ApiKeysTable({ onOpen, onEdit, onNewKey, empty }: ApiKeysTableProps) {
  const { t } = useTranslation('api-keys');
  const list = useListState(['status', 'group'], '-id');
  const groups = useGroups();
  const groupName = useGroupName();
  const query = {
    page: list.page,
    size: list.size,
    order: list.order,
    keyword: list.keyword,
    status: oneOf(list.filters.status, statuses),
    group: list.filters.group,
  };
  const listed = useQuery(apiKeyListQuery(query));
  const columns = useMemo(() => apiKeyColumns(t, groupName), [t, groupName]);
  return (
    <DataTable
      name="tokens"
      label={t('title')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(key) => String(key.id)}
      onOpen={onOpen}
      renderActions={(key) => <ApiKeyMenu apiKey={key} onEdit={onEdit} onNewKey={onNewKey} />}
      renderBulkActions={(keys, done) => <ApiKeyBulkActions keys={keys} onDone={done} />}
      fetchPage={(page, size) => listApiKeys({ ...query, page, size })}
      filterBar={
        <FilterBar list={list} placeholder={t('search')}>
          <FilterChips
            list={list}
            chips={[
              { name: 'status', label: t('status'), options: toOptions(statuses, (name) => t(`statusName.${name}`)) },
              {
                name: 'group',
                label: t('group'),
                options: Object.values(groups ?? {}).map(({ symbol, name }) => ({ value: symbol, label: name })),
              },
            ]}
          />
        </FilterBar>
      }
      empty={<EmptyState action={empty}>{t('empty')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
    />
  );
}

function ApiKeyBulkActions({ keys, onDone }: { keys: readonly ApiKey[]; onDone: () => void }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const { setStatus, remove } = useApiKeyActions();
  const change = async (status: 'enabled' | 'disabled') => {
    onDone();
    await setStatus(keys, status);
  };
  return (
    <>
      <Button size="small" variant="outlined" color="inherit" onClick={() => void change('enabled')}>
        {t('common:enable')}
      </Button>
      <Button size="small" variant="outlined" color="inherit" onClick={() => void change('disabled')}>
        {t('common:disable')}
      </Button>
      <BulkDelete
        count={keys.length}
        title={t('deleteTitle', { count: keys.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(keys);
          onDone();
        }}
      />
    </>
  );
}

const column = columnsFor<ApiKey>();

function apiKeyColumns(t: TFunction<'api-keys'>, groupName: (symbol: string) => string) {
  const { name, status, usage, lastUsed, expires, created } = keyColumns<ApiKey>(t);
  return [
    name,
    column.field('key', t('key'), { size: 150, cell: monoCell }),
    status,
    column.field('group', t('group'), {
      size: 130,
      cell: (group) => (group === '' ? t('ownGroup') : groupName(group)),
    }),
    usage,
    column.field('spent', t('budgets'), { size: 200, hidden: true, cell: (_, key) => <TightestBudget apiKey={key} /> }),
    lastUsed,
    expires,
    created,
  ];
}

import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { CodeBatch } from '@switchyard/contract/billing/redemption-codes';
import { codeBatchId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { FilterBar } from '../../../ui/filters/filter-bar.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { saveFile } from '../../../ui/table/csv-export.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { oneOf, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { batchColumns } from './batch-columns.tsx';
import { BatchEditor } from './batch-editor.tsx';
import { CodesTable } from './codes-table.tsx';
import { NewCodesDialog } from './created-codes-dialog.tsx';
import type { PrintableCodes } from './new-batch-defaults-and-redeem-url.ts';
import { PrintDialog } from './print-codes-dialog.tsx';
import {
  batchListQuery,
  exportBatch,
  listBatches,
  readUnusedCodes,
  useRemoveBatch,
  useSetBatchEnabled,
} from './queries.ts';

const tabs = ['batches', 'codes'] as const;

/**
 * Lists code batches, or single codes with `?tab=codes`. `?edit=` changes a batch, `?edit=new` creates one.
 */
export function RedemptionCodesPage() {
  const { t } = useTranslation('redemption-codes');
  const navigate = useNavigate();
  const [asked] = useSearchParam('tab');
  const [edited, setEdited] = useSearchParam('edit');
  const [made, setMade] = useState<PrintableCodes>();
  const may = useHasAccess('codes.write');
  const tab = oneOf(asked, tabs) ?? 'batches';
  // The filters of one list do not apply to the other.
  const go = (next: string) => void navigate({ to: '.', search: next === 'codes' ? { tab: next } : {} });
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={may && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <Tabs value={tab} onChange={(_, next: string) => go(next)} aria-label={t('title')} sx={{ mb: 1.5 }}>
        {tabs.map((name) => (
          <Tab key={name} value={name} label={t(name)} />
        ))}
      </Tabs>
      {tab === 'batches' ? (
        <BatchesTable
          onEdit={may ? (batch) => setEdited(String(batch.id)) : undefined}
          empty={
            may && (
              <Button variant="contained" onClick={create}>
                {t('new')}
              </Button>
            )
          }
        />
      ) : (
        <CodesTable mayWrite={may} />
      )}
      <BatchEditor
        id={may ? (edited === 'new' ? 'new' : codeBatchId.safeParse(edited).data) : undefined}
        onClose={() => setEdited(undefined)}
        onMade={(handout) => {
          setEdited(undefined);
          setMade(handout);
        }}
      />
      {made !== undefined && <NewCodesDialog handout={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

interface BatchesTableProps {
  /** Undefined for read-only users. */
  onEdit: ((batch: CodeBatch) => void) | undefined;
  /** Button that an empty list shows. */
  empty: ReactNode;
}

function BatchesTable({ onEdit, empty }: BatchesTableProps) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  const navigate = useNavigate();
  const list = useListState([], '-id');
  const query = { page: list.page, size: list.size, order: list.order, keyword: list.keyword };
  const listed = useQuery(batchListQuery(query));
  const columns = useMemo(() => batchColumns(t, format.number), [t, format]);
  const showCodes = ({ id }: CodeBatch) => void navigate({ to: '.', search: { tab: 'codes', batch_id: String(id) } });
  return (
    <DataTable
      name="code-batches"
      label={t('batches')}
      columns={columns}
      list={list}
      query={listed}
      rowId={(batch) => String(batch.id)}
      onOpen={onEdit ?? showCodes}
      {...(onEdit === undefined
        ? {}
        : { renderActions: (batch: CodeBatch) => <BatchMenu batch={batch} onEdit={onEdit} onShowCodes={showCodes} /> })}
      fetchPage={(page, size) => listBatches({ ...query, page, size })}
      filterBar={<FilterBar list={list} placeholder={t('searchBatches')} />}
      empty={<EmptyState action={empty}>{t('noBatches')}</EmptyState>}
      emptyFiltered={<EmptyState>{t('noBatchFound')}</EmptyState>}
    />
  );
}

interface BatchMenuProps {
  batch: CodeBatch;
  onEdit: (batch: CodeBatch) => void;
  onShowCodes: (batch: CodeBatch) => void;
}

function BatchMenu({ batch, onEdit, onShowCodes }: BatchMenuProps) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const [printed, setPrinted] = useState<PrintableCodes>();
  const { toggle, remove, saveCsv, readHandout } = useBatchActions();
  const { name, enabled, unused } = batch;
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit(batch) },
          { label: t('showCodes'), onSelect: () => onShowCodes(batch) },
          { label: t('common:table.exportCsv'), onSelect: () => void saveCsv(batch) },
          ...(unused > 0 ? [{ label: t('printSheet'), onSelect: () => void readHandout(batch).then(setPrinted) }] : []),
          { label: t(enabled ? 'common:disable' : 'common:enable'), apart: true, onSelect: () => void toggle(batch) },
          {
            label: t('common:delete'),
            danger: true,
            question: {
              title: t('deleteBatchTitle', { name }),
              text: unused === 0 ? t('deleteUsedBatchText') : t('deleteBatchText', { count: unused }),
              typed: unused === 0 ? undefined : name,
            },
            onConfirm: () => remove(batch),
          },
        ]}
      />
      {printed !== undefined && <PrintDialog handout={printed} onClose={() => setPrinted(undefined)} />}
    </>
  );
}

/** Returns the actions for a batch, which report their result. */
function useBatchActions() {
  const { t } = useTranslation('redemption-codes');
  const undoable = useUndoable();
  const notifyError = useNotifyError();
  const { mutateAsync: setEnabled } = useSetBatchEnabled();
  const { mutateAsync: sendRemoval } = useRemoveBatch();

  const toggle = ({ id, name, enabled }: CodeBatch) =>
    undoable({
      send: setEnabled,
      to: { id, enabled: !enabled },
      back: () => ({ id, enabled }),
      done: t(enabled ? 'disabledBatch' : 'enabledBatch', { name }),
    });
  const remove = async ({ id, name }: CodeBatch) => {
    await sendRemoval(id);
    notify('success', t('deletedBatch', { name }));
  };
  const saveCsv = async ({ id }: CodeBatch) => {
    try {
      saveFile(`codes-${id}.csv`, await exportBatch(id));
    } catch (error) {
      notifyError(error);
    }
  };
  /** Returns the unused codes; undefined after a reported failure. */
  const readHandout = async ({ id, name, quota, expires_time }: CodeBatch): Promise<PrintableCodes | undefined> => {
    try {
      return { name, quota, expires_time, codes: await readUnusedCodes(id) };
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  return { toggle, remove, saveCsv, readHandout };
}

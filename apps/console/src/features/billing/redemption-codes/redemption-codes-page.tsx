import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { codeBatchId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { oneOf } from '../../../ui/table/list-state.ts';
import { useMay } from '../../accounts/session/queries.ts';
import { BatchEditor } from './batch-editor.tsx';
import { BatchesTable } from './batches-table.tsx';
import { CodesTable } from './codes-table.tsx';
import type { Handout } from './handout.ts';
import { NewCodesDialog } from './new-codes-dialog.tsx';

const tabs = ['batches', 'codes'] as const;

/** Codes that are worth balance. `?tab=codes` lists each; `?edit=` changes a batch, `?edit=new` makes one. */
export function RedemptionCodesPage() {
  const { t } = useTranslation('redemption-codes');
  const navigate = useNavigate();
  const [asked] = useSearchParam('tab');
  const [edited, setEdited] = useSearchParam('edit');
  const [made, setMade] = useState<Handout>();
  const may = useMay('codes.write');
  const tab = oneOf(asked, tabs) ?? 'batches';
  // The filters of one list mean nothing to the other.
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

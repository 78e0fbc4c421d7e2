import Button from '@mui/material/Button';
import { processorId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { ProcessorEditor } from './processor-editor.tsx';
import { ProcessorsTable } from './processors-table.tsx';

/** Payment gateways. `?edit=` changes one, `?edit=new` makes one. */
export function ProcessorsPage() {
  const { t } = useTranslation('processors');
  const [edited, setEdited] = useSearchParam('edit');
  const may = useMay('processors.write');
  const editedId = edited === 'new' ? 'new' : processorId.safeParse(edited).data;
  const create = () => setEdited('new');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={may && <PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={create} />}
      />
      <ProcessorsTable
        onEdit={may ? (processor) => setEdited(String(processor.id)) : undefined}
        empty={
          may && (
            <Button variant="contained" onClick={create}>
              {t('new')}
            </Button>
          )
        }
      />
      <ProcessorEditor
        id={may ? editedId : undefined}
        onClose={() => setEdited(undefined)}
        onCreated={(id) => setEdited(String(id))}
      />
    </>
  );
}

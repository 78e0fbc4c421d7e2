import Button from '@mui/material/Button';
import { apiKeyId } from '@switchyard/contract/ids';
import { IconPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { WhenOpened } from '../../../ui/layout/when-opened.tsx';
import { ApiKeyDrawer } from './api-key-drawer.tsx';
import { ApiKeysTable } from './api-keys-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

const ApiKeyEditor = lazy(() =>
  import('./api-key-editor.tsx').then((module) => ({ default: module.ApiKeyEditor })),
);

/** Own tokens. `?open=` shows one, `?edit=` changes one, `?edit=new` makes one. */
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
      <ApiKeyDrawer
        id={shownId}
        onClose={() => setOpened(undefined)}
        onEdit={(id) => setEdited(String(id))}
        onNewKey={setNewKey}
      />
      <WhenOpened open={editedId !== undefined}>
        <ApiKeyEditor
          id={editedId}
          onClose={() => setEdited(undefined)}
          onCreated={(key) => {
            setEdited(undefined);
            setNewKey(key);
          }}
        />
      </WhenOpened>
      <NewKeyDialog apiKey={newKey} onClose={() => setNewKey(undefined)} />
    </>
  );
}

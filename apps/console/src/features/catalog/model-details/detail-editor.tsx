import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { DetailForm } from './detail-form.tsx';
import type { DetailRow } from './model-detail-rows.ts';
import { useSaveDetail } from './queries.ts';

interface DetailEditorProps {
  open: boolean;
  /** Model that is described; undefined for a new one. */
  model: string | undefined;
  rows: readonly DetailRow[];
  tags: readonly string[];
  onClose: () => void;
}

export function DetailEditor({ open, model, rows, tags, onClose }: DetailEditorProps) {
  const { t } = useTranslation(['model-details', 'common']);
  const save = useSaveDetail();
  const described = rows.find((row) => row.model === model);
  return (
    <DetailDrawer open={open} onClose={onClose} title={t(model === undefined ? 'new' : 'editTitle')}>
      {model !== undefined && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, mb: 1.5, overflowWrap: 'anywhere' }}>
          <Mono>{model}</Mono>
          <CopyButton text={model} what={t('modelId')} />
        </Box>
      )}
      {model !== undefined && described === undefined ? (
        <EmptyState>{t('gone')}</EmptyState>
      ) : (
        <DetailForm
          key={model}
          described={described}
          all={rows}
          tags={tags}
          onCancel={onClose}
          onSave={async (detail) => {
            await save.mutateAsync({ isNew: (described?.own ?? null) === null, detail });
            notify('success', t('common:saved'));
            onClose();
          }}
        />
      )}
    </DetailDrawer>
  );
}

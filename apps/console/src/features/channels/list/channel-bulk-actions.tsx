import Button from '@mui/material/Button';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../../ui/actions/bulk-delete.tsx';
import type { SettableStatus } from '../queries.ts';
import { useChannelActions } from './use-channel-actions.ts';

interface ChannelBulkActionsProps {
  channels: readonly Channel[];
  onTest: (channels: readonly Channel[]) => void;
  onEdit: () => void;
  onExport: () => void;
  onDone: () => void;
}

export function ChannelBulkActions({ channels, onTest, onEdit, onExport, onDone }: ChannelBulkActionsProps) {
  const { t } = useTranslation(['channels', 'common']);
  const { setStatus, remove } = useChannelActions();
  const change = async (status: SettableStatus) => {
    onDone();
    await setStatus(channels, status);
  };
  const look = { size: 'small', variant: 'outlined' } as const;
  return (
    <>
      <Button {...look} color="inherit" onClick={onEdit}>
        {t('common:edit')}
      </Button>
      <Button {...look} color="inherit" onClick={() => onTest(channels)}>
        {t('test.verb')}
      </Button>
      <Button {...look} color="inherit" onClick={() => void change('enabled')}>
        {t('common:enable')}
      </Button>
      <Button {...look} color="inherit" onClick={() => void change('disabled')}>
        {t('common:disable')}
      </Button>
      <Button {...look} color="inherit" onClick={onExport}>
        {t('edits.export.verb')}
      </Button>
      <BulkDelete
        count={channels.length}
        title={t('deleteTitle', { count: channels.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(channels);
          onDone();
        }}
      />
    </>
  );
}

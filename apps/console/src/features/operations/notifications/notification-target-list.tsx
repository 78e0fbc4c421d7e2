import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { NotificationTarget } from '@switchyard/contract/operations/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { NotificationTargetEditor } from './notification-target-editor.tsx';
import {
  notificationTargetsQuery,
  type Owner,
  useRemoveNotificationTarget,
  useTestNotificationTarget,
} from './queries.ts';

export function NotificationTargetList({ owner }: { owner: Owner }) {
  const { t } = useTranslation('alerts');
  const { data: destinations, error, refetch } = useQuery(notificationTargetsQuery(owner));
  const [edited, setEdited] = useState<NotificationTarget | 'new'>();
  if (destinations === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5, justifyItems: 'start' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(`intro.${owner}`)}
      </Typography>
      {destinations.length > 0 && (
        <RowList label={t('destinations')}>
          {destinations.map((destination) => (
            <DestinationRow
              key={destination.id}
              owner={owner}
              destination={destination}
              onEdit={() => setEdited(destination)}
            />
          ))}
        </RowList>
      )}
      <Button variant="outlined" color="inherit" onClick={() => setEdited('new')}>
        {t('add')}
      </Button>
      <NotificationTargetEditor owner={owner} destination={edited} onClose={() => setEdited(undefined)} />
    </Box>
  );
}

interface DestinationRowProps {
  owner: Owner;
  destination: NotificationTarget;
  onEdit: () => void;
}

function DestinationRow({ owner, destination, onEdit }: DestinationRowProps) {
  const { t } = useTranslation(['alerts', 'common']);
  const { name, type, events, failing_since, off_reason, hints } = destination;
  const remove = useRemoveNotificationTarget(owner);
  const told = events.map((event) => t(`event.${event}`)).join(', ');
  const where = hints['address'] ?? hints['to'] ?? hints['chat'];
  return (
    <ListRow
      title={name}
      chip={<DestinationState destination={destination} />}
      text={
        <>
          {t(`type.${type}`)}
          {where !== undefined && ` · ${where}`}
          <br />
          {told === '' ? t('noEvents') : told}
          {failing_since !== null && (
            <div>
              {t('failingSince')} <Moment seconds={failing_since} />
            </div>
          )}
          {off_reason !== '' && <div>{t('offReason', { reason: off_reason })}</div>}
        </>
      }
      actions={
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <TestButton owner={owner} destination={destination} />
          <Button size="small" variant="outlined" color="inherit" aria-label={t('editOf', { name })} onClick={onEdit}>
            {t('edit')}
          </Button>
          <ConfirmButton
            size="small"
            variant="outlined"
            aria-label={t('removeOf', { name })}
            question={{ title: t('removeTitle', { name }), text: t('removeText'), verb: t('remove') }}
            onConfirm={async () => {
              await remove.mutateAsync(destination.id);
              notify('success', t('removed', { name }));
            }}
          >
            {t('remove')}
          </ConfirmButton>
        </Box>
      }
    />
  );
}

function DestinationState({
  destination: { enabled, off_reason, failing_since },
}: {
  destination: NotificationTarget;
}) {
  const { t } = useTranslation('alerts');
  if (off_reason !== '') return <StatusChip tone="error">{t('switchedOff')}</StatusChip>;
  if (!enabled) return <StatusChip tone="neutral">{t('off')}</StatusChip>;
  if (failing_since !== null) return <StatusChip tone="warning">{t('failing')}</StatusChip>;
  return null;
}

/** Sends a test notification and shows the response of its receiver. */
function TestButton({ owner, destination: { id, name } }: Omit<DestinationRowProps, 'onEdit'>) {
  const { t } = useTranslation('alerts');
  const test = useTestNotificationTarget(owner);
  const notifyError = useNotifyError();
  const sendTest = async () => {
    const { ok, answer } = await test.mutateAsync(id);
    if (ok) notify('success', t('testTaken', { name }), { detail: answer });
    else notify('error', t('testRefused', { name }), { detail: answer });
  };
  return (
    <Button
      size="small"
      variant="outlined"
      color="inherit"
      loading={test.isPending}
      aria-label={t('testOf', { name })}
      onClick={() => void sendTest().catch(notifyError)}
    >
      {t('test')}
    </Button>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import {
  type DeliveryAttempt,
  type DeliveryState,
  deliveryState,
  notificationEvent,
} from '@switchyard/contract/operations/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { deliveryAttemptsQuery, type Owner, useAvailableEvents, useRetryDelivery } from './queries.ts';

const STEP = 10;
const SHOWN_MAX = 100;

const toneOf: Readonly<Record<DeliveryState, Tone>> = { waiting: 'info', delivered: 'success', failed: 'error' };

export function DeliveryAttemptList({ owner }: { owner: Owner }) {
  const { t } = useTranslation('alerts');
  const [state, setState] = useState<string>();
  const [event, setEvent] = useState<string>();
  const [size, setSize] = useState(STEP);
  const offered = useAvailableEvents(owner);
  // The site's list contains the notifications of all users.
  const events = owner === 'site' ? notificationEvent.options : offered;
  const query = { size, state: deliveryState.safeParse(state).data, event: notificationEvent.safeParse(event).data };
  const { data: deliveries, error, refetch } = useQuery(deliveryAttemptsQuery(owner, query));
  if (deliveries === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  const hasMore = deliveries.total_count > deliveries.data.length && size < SHOWN_MAX;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1, pt: 2, justifyItems: 'start' }}>
      <Typography variant="h4" component="h3" sx={{ fontSize: '0.875rem', fontWeight: 500 }}>
        {t('log')}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <FilterChip
          label={t('stateFilter')}
          value={state}
          options={toOptions(deliveryState.options, (value) => t(`state.${value}`))}
          onChange={setState}
        />
        <FilterChip
          label={t('eventFilter')}
          value={event}
          options={toOptions(events, (value) => t(`event.${value}`))}
          onChange={setEvent}
        />
      </Box>
      {deliveries.data.length === 0 ? (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('logEmpty')}
        </Typography>
      ) : (
        <RowList label={t('log')}>
          {deliveries.data.map((delivery) => (
            <DeliveryRow key={delivery.id} owner={owner} delivery={delivery} />
          ))}
        </RowList>
      )}
      {hasMore && (
        <Button size="small" color="inherit" onClick={() => setSize(Math.min(size + STEP, SHOWN_MAX))}>
          {t('more')}
        </Button>
      )}
    </Box>
  );
}

function DeliveryRow({ owner, delivery }: { owner: Owner; delivery: DeliveryAttempt }) {
  const { t } = useTranslation('alerts');
  const { title, type, destination, username, state, tries, last_answer } = delivery;
  const again = useRetryDelivery(owner);
  const notifyError = useNotifyError();
  const sendAgain = async () => {
    await again.mutateAsync(delivery.id);
    notify('success', t('sentAgain'));
  };
  const where = destination === '' ? t('accountMail') : destination;
  return (
    <ListRow
      title={title}
      chip={<StatusChip tone={toneOf[state]}>{t(`state.${state}`)}</StatusChip>}
      text={
        <>
          {where} · {t(`type.${type}`)}
          {owner === 'site' && username !== '' && ` · ${username}`} · <Moment seconds={delivery.created_time} />
          {tries > 1 && ` · ${t('tries', { count: tries })}`}
          {delivery.next_try_time !== null && tries > 0 && (
            <>
              {' · '}
              {t('nextTry')} <Moment seconds={delivery.next_try_time} />
            </>
          )}
          {last_answer !== '' && <div>{last_answer}</div>}
        </>
      }
      actions={
        state === 'failed' && (
          <Button
            size="small"
            variant="outlined"
            color="inherit"
            loading={again.isPending}
            aria-label={t('againOf', { title })}
            onClick={() => void sendAgain().catch(notifyError)}
          >
            {t('again')}
          </Button>
        )
      }
    />
  );
}

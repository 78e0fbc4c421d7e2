import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { OrderEvent } from '@switchyard/contract/billing/orders';
import type { OrderStatus } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { removeBidiControls } from '../../i18n/bidi.ts';
import { Moment, Name } from '../display/formatted-values.tsx';
import { StatusChip, type Tone } from '../display/status-and-tag-chips.tsx';

const statusTones: Readonly<Record<OrderStatus, Tone>> = {
  pending: 'info',
  success: 'success',
  failed: 'error',
  closed: 'neutral',
  refunded: 'neutral',
  disputed: 'warning',
};

export function OrderStatusChip({ status }: { status: OrderStatus }) {
  const { t } = useTranslation('orders');
  return (
    <StatusChip tone={statusTones[status]} hint={t(`statusHint.${status}`)}>
      {t(`status.${status}`)}
    </StatusChip>
  );
}

const eventTones: Partial<Record<OrderEvent['event'], Tone>> = {
  paid: 'success',
  'paid-late': 'success',
  completed: 'success',
  'dispute-won': 'success',
  failed: 'error',
  'open-failed': 'error',
  'refund-failed': 'error',
  'dispute-lost': 'error',
  parked: 'warning',
  disputed: 'warning',
};

/** Shows an order's events, the oldest first. */
export function OrderTimeline({ events }: { events: readonly OrderEvent[] }) {
  const { t } = useTranslation('orders');
  // Events are only appended, so the index is a stable key.
  const steps = events.map((event, place) => ({ event, place }));
  return (
    <section>
      <Typography variant="h3" sx={{ mb: 1.5 }}>
        {t('timeline')}
      </Typography>
      <Box component="ol" aria-label={t('timeline')} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {steps.map(({ event, place }) => (
          <Step key={place} event={event} />
        ))}
      </Box>
    </section>
  );
}

function Step({ event: { event, created_at, username, detail } }: { event: OrderEvent }) {
  const { t } = useTranslation('orders');
  const tone = eventTones[event];
  return (
    <Box
      component="li"
      sx={{
        position: 'relative',
        pl: 2.5,
        pb: 1.5,
        fontSize: '0.8125rem',
        '&::before': {
          content: '""',
          position: 'absolute',
          left: 0,
          top: 6,
          width: 8,
          height: 8,
          borderRadius: '50%',
          bgcolor: tone === undefined ? 'text.disabled' : `${tone}.main`,
        },
        '&:not(:last-of-type)::after': {
          content: '""',
          position: 'absolute',
          left: '3.5px',
          top: 18,
          bottom: -2,
          borderLeft: 1,
          borderColor: 'divider',
        },
      }}
    >
      <Box sx={{ display: 'flex', justifyContent: 'space-between', gap: 1.5 }}>
        <Box component="span" sx={{ fontWeight: 500 }}>
          {t(`event.${event}`)}
        </Box>
        <Box component="span" sx={{ color: 'text.secondary', whiteSpace: 'nowrap' }}>
          <Moment seconds={created_at} />
        </Box>
      </Box>
      {(detail !== '' || username !== null) && (
        <Box sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
          {username !== null && <Name>{username}</Name>}
          {username !== null && detail !== '' && ' · '}
          <bdi>{removeBidiControls(detail)}</bdi>
        </Box>
      )}
    </Box>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../../ui/actions/confirm-button.tsx';
import { Mono } from '../../../../ui/display/mono.tsx';
import { useCountdown } from '../../../../ui/format/use-countdown.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { type OwnOrderDetail, useCloseOwnOrder } from '../../orders/queries.ts';
import { PayBy } from './pay-by.tsx';
import { useCheckNow } from './use-check-now.ts';

interface PendingOrderProps {
  order: OwnOrderDetail;
  onClose: () => void;
}

/** An order that waits for its payment. */
export function PendingOrder({ order, onClose }: PendingOrderProps) {
  const { t } = useTranslation(['top-up', 'common']);
  const format = useFormat();
  const { check, checking } = useCheckNow();
  const close = useCloseOwnOrder();
  return (
    <>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <Box>
          <Typography sx={{ fontSize: '1.75rem', fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
            {format.money(order.order_amount, order.order_currency)}
          </Typography>
          <Typography variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {t('forAmount', { amount: format.exactUsd(order.amount), gateway: order.gateway_name })}
            {' · '}
            <Mono>{order.trade_no}</Mono>
          </Typography>
        </Box>
        {order.payment !== null && <PayBy payment={order.payment} order={order} />}
        <Waiting expiresAt={order.expires_at} />
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap', rowGap: 1 }}>
        <ConfirmButton
          color="inherit"
          sx={{ mr: 'auto' }}
          question={{ title: t('giveUpTitle'), text: t('giveUpText'), verb: t('giveUp') }}
          onConfirm={() => close.mutateAsync(order.trade_no)}
        >
          {t('giveUp')}
        </ConfirmButton>
        <Button color="inherit" onClick={onClose}>
          {t('common:close')}
        </Button>
        <Button variant="contained" loading={checking} onClick={() => void check(order.trade_no)}>
          {t('havePaid')}
        </Button>
      </DialogActions>
    </>
  );
}

const MINUTE = 60;

function Waiting({ expiresAt }: { expiresAt: number }) {
  const { t } = useTranslation('top-up');
  const [begun] = useState(() => Math.max(0, expiresAt - Math.floor(Date.now() / 1000)));
  const [left] = useCountdown(begun);
  const clock = `${Math.floor(left / MINUTE)}:${String(left % MINUTE).padStart(2, '0')}`;
  return (
    <Box
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.25,
        color: 'text.secondary',
        fontSize: '0.8125rem',
      }}
    >
      <CircularProgress size={16} aria-hidden />
      <span role="status">{t(left > 0 ? 'waiting' : 'timeOver')}</span>
      {left > 0 && (
        <Box
          component="span"
          sx={{ ml: 'auto', fontVariantNumeric: 'tabular-nums' }}
          aria-label={t('timeLeft')}
        >
          {clock}
        </Box>
      )}
    </Box>
  );
}

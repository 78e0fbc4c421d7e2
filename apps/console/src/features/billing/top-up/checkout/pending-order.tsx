import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import Typography from '@mui/material/Typography';
import type { OwnOrder, Payment } from '@switchyard/contract/billing/orders';
import { IconExternalLink } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { removeBidiControls } from '../../../../i18n/bidi.ts';
import { ConfirmButton } from '../../../../ui/actions/confirm-button.tsx';
import { CopyButton } from '../../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../../ui/display/monospace-text.tsx';
import { useCountdown } from '../../../../ui/format/use-countdown.ts';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { type OwnOrderDetail, useCloseOwnOrder } from '../../orders/queries.ts';
import { isPhone, payPageUrl, useCheckNow } from './own-order-hooks.ts';

interface PendingOrderProps {
  order: OwnOrderDetail;
  onClose: () => void;
}

/** Shows an order that waits for its payment. */
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
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, color: 'text.secondary', fontSize: '0.8125rem' }}>
      <CircularProgress size={16} aria-hidden />
      <span role="status">{t(left > 0 ? 'waiting' : 'timeOver')}</span>
      {left > 0 && (
        <Box component="span" sx={{ ml: 'auto', fontVariantNumeric: 'tabular-nums' }} aria-label={t('timeLeft')}>
          {clock}
        </Box>
      )}
    </Box>
  );
}

const QrCode = lazy(() => import('../../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })));
const QR_SIZE = 208;
/** Schemes of the web and the two payment apps; a QR code's text becomes a link only with one of them. */
const appAddress = /^(?:https?|weixin|wxp|alipays?|alipayqr):/i;

interface PayByProps {
  payment: Payment;
  order: OwnOrder;
}

/** Shows how to pay: by a link to a page, a QR code or the operator's instructions. */
function PayBy({ payment, order }: PayByProps) {
  const { t } = useTranslation('top-up');
  if (payment.type === 'instructions') {
    return <Instructions text={payment.data.text ?? ''} tradeNo={order.trade_no} />;
  }
  if (payment.type === 'qr') return <ByCode url={payment.data.url} order={order} />;
  return (
    <Button
      component="a"
      href={payPageUrl(order.trade_no)}
      target="_blank"
      rel="noopener"
      variant="outlined"
      startIcon={<IconExternalLink size={18} />}
    >
      {t('openPayPage')}
    </Button>
  );
}

function ByCode({ url, order: { gateway_name } }: { url: string; order: OwnOrder }) {
  const { t } = useTranslation('top-up');
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1.5 }}>
      <Box sx={{ minHeight: QR_SIZE }}>
        <Suspense fallback={null}>
          <QrCode text={url} label={t('qrCode')} size={QR_SIZE} />
        </Suspense>
      </Box>
      <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary', textAlign: 'center' }}>
        {t('scan', { gateway: gateway_name })}
      </Box>
      {isPhone() && appAddress.test(url) && (
        <Button component="a" href={url} rel="noopener" variant="outlined">
          {t('openApp')}
        </Button>
      )}
    </Box>
  );
}

interface InstructionsProps {
  text: string;
  tradeNo: string;
}

/** Shows the operator's payment instructions; text after a colon has its own copy button. */
function Instructions({ text, tradeNo }: InstructionsProps) {
  const { t } = useTranslation('top-up');
  const lines = removeBidiControls(text)
    .split('\n')
    .map((line, place) => ({ line, place }));
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 1.5, fontSize: '0.875rem' }}>
      {lines.map(({ line, place }) => (
        <Line key={place} line={line} />
      ))}
      {!text.includes(tradeNo) && <Line line={`${t('reference')}: ${tradeNo}`} />}
    </Box>
  );
}

function Line({ line }: { line: string }) {
  const [, name = '', value = ''] = /^([^:：]{1,40})[:：]\s*(\S.*)$/.exec(line.trim()) ?? [];
  // A URL also contains a colon, but is not a named value.
  const copied = value.startsWith('//') ? '' : value;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 30 }}>
      <Box component="span" sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {line}
      </Box>
      {copied !== '' && <CopyButton text={copied} what={name.trim()} />}
    </Box>
  );
}

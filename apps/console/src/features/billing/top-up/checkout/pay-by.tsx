import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { OwnOrder, Payment } from '@switchyard/contract/billing/orders';
import { IconExternalLink } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Instructions } from './instructions.tsx';
import { payPageUrl } from './pay-page-url.ts';
import { onPhone } from './phone.ts';

const QrCode = lazy(() =>
  import('../../../../ui/display/qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })),
);
const QR_SIZE = 208;
/** Codes are addresses of the web or of the two payment apps; nothing else becomes a link. */
const appAddress = /^(?:https?|weixin|wxp|alipays?|alipayqr):/i;

interface PayByProps {
  payment: Payment;
  order: OwnOrder;
}

/** Shows how to pay an order: on a page, with a code that a phone scans, or by the operator's instructions. */
export function PayBy({ payment, order }: PayByProps) {
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
      {onPhone() && appAddress.test(url) && (
        <Button component="a" href={url} rel="noopener" variant="outlined">
          {t('openApp')}
        </Button>
      )}
    </Box>
  );
}

import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../ui/display/qr-code.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { monoFont } from '../../../ui/theme/fonts.ts';
import { useServerAddress, useSystemName } from '../../site/site/queries.ts';
import { type Handout, redeemAddress } from './handout.ts';

const QR_PIXELS = 112;

/** One code on paper: black on white, whatever the colours of the screen. */
export function CodeCard({ code, handout }: { code: string; handout: Handout }) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  const site = useSystemName();
  const address = useServerAddress();
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        gap: 1.5,
        alignItems: 'center',
        p: 1.5,
        border: '1px dashed #8a8f98',
        color: '#000000',
        bgcolor: '#ffffff',
        breakInside: 'avoid',
      }}
    >
      <QrCode text={redeemAddress(address, code)} label={t('qrOf', { code })} size={QR_PIXELS} />
      <Box sx={{ display: 'grid', gap: 0.5, minWidth: 0, fontSize: '0.75rem' }}>
        <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{site}</Box>
        <Box sx={{ fontSize: '1.25rem', fontWeight: 600 }}>{format.points(handout.quota)}</Box>
        <Box sx={{ fontFamily: monoFont, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>{code}</Box>
        <Box>
          {handout.expires_time === 0
            ? t('goodForEver')
            : t('goodUntil', { moment: format.day(handout.expires_time) })}
        </Box>
        <Box sx={{ overflowWrap: 'anywhere' }}>{address.replace(/^https?:\/\//, '')}</Box>
      </Box>
    </Box>
  );
}

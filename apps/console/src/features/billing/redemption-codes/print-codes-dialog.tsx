import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import GlobalStyles from '@mui/material/GlobalStyles';
import Pagination from '@mui/material/Pagination';
import { IconPrinter } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QrCode } from '../../../ui/display/qr-code.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { printPageStyles } from '../../../ui/layout/print-styles.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useServerAddress, useSystemName } from '../../site/site/queries.ts';
import { type PrintableCodes, redeemUrl } from './new-batch-defaults-and-redeem-url.ts';

/** Cards on one page. Each draws a QR code; many more would block the browser for seconds. */
const CARDS_AT_ONCE = 200;

const onPaper = {
  '@media print': {
    '@page': { margin: '12mm' },
    ...printPageStyles,
    'body > *:not([data-sheet])': { display: 'none !important' },
    'body > [data-sheet], [data-sheet] *': { position: 'static !important', overflow: 'visible !important' },
    '[data-sheet] [data-screen], [data-sheet] .MuiBackdrop-root': { display: 'none !important' },
    '[data-sheet] .MuiDialog-container, [data-sheet] .MuiDialog-paper': {
      display: 'block !important',
      height: 'auto !important',
      border: 'none !important',
      background: '#ffffff !important',
    },
  },
} as const;

/** Shows codes as cards to cut out; printing omits the buttons. */
export function PrintDialog({ handout, onClose }: { handout: PrintableCodes; onClose: () => void }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const titleId = useId();
  const [page, setPage] = useState(1);
  const { codes, name } = handout;
  const pages = Math.ceil(codes.length / CARDS_AT_ONCE);
  const from = (page - 1) * CARDS_AT_ONCE;
  const shown = codes.slice(from, from + CARDS_AT_ONCE);
  return (
    <Dialog open fullScreen onClose={onClose} aria-labelledby={titleId} data-sheet="">
      <GlobalStyles styles={onPaper} />
      <DialogTitle id={titleId} data-screen="">
        {t('sheetTitle', { name })}
      </DialogTitle>
      <DialogContent>
        <Box
          component="ul"
          aria-label={t('codes')}
          sx={{
            display: 'grid',
            gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 300px), 1fr))',
            gap: 1,
            m: 0,
            p: 0,
            listStyle: 'none',
          }}
        >
          {shown.map((code) => (
            <CodeCard key={code} code={code} handout={handout} />
          ))}
        </Box>
      </DialogContent>
      <DialogActions data-screen="" sx={{ flexWrap: 'wrap', gap: 1 }}>
        {pages > 1 && (
          <Pagination
            count={pages}
            page={page}
            onChange={(_, next) => setPage(next)}
            aria-label={t('sheetPart', { from: from + 1, to: from + shown.length, total: codes.length })}
          />
        )}
        <Box sx={{ flexGrow: 1 }} />
        <Button color="inherit" onClick={onClose}>
          {t('common:close')}
        </Button>
        <Button variant="contained" startIcon={<IconPrinter size={18} />} onClick={() => window.print()}>
          {t('print')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const QR_PIXELS = 112;

/** Shows one code in black on white, regardless of the colour scheme. */
function CodeCard({ code, handout }: { code: string; handout: PrintableCodes }) {
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
      <QrCode text={redeemUrl(address, code)} label={t('qrOf', { code })} size={QR_PIXELS} />
      <Box sx={{ display: 'grid', gap: 0.5, minWidth: 0, fontSize: '0.75rem' }}>
        <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{site}</Box>
        <Box sx={{ fontSize: '1.25rem', fontWeight: 600 }}>{format.points(handout.quota)}</Box>
        <Box sx={{ fontFamily: monoFont, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>{code}</Box>
        <Box>
          {handout.expires_time === 0 ? t('goodForEver') : t('goodUntil', { moment: format.day(handout.expires_time) })}
        </Box>
        <Box sx={{ overflowWrap: 'anywhere' }}>{address.replace(/^https?:\/\//, '')}</Box>
      </Box>
    </Box>
  );
}

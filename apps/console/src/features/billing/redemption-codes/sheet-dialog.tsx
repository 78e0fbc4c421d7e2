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
import { whitePaper } from '../../../ui/layout/on-paper.tsx';
import { CodeCard } from './code-card.tsx';
import type { Handout } from './handout.ts';

/** Each card draws a QR code: more at once would stop the browser for seconds. */
const CARDS_AT_ONCE = 200;

const onPaper = {
  '@media print': {
    '@page': { margin: '12mm' },
    ...whitePaper,
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

/** Codes as cards to cut out. What is on the screen here is what is printed, without the buttons. */
export function SheetDialog({ handout, onClose }: { handout: Handout; onClose: () => void }) {
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

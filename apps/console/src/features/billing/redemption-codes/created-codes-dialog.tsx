import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { saveFile } from '../../../ui/table/csv-export.ts';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import type { PrintableCodes } from './new-batch-defaults-and-redeem-url.ts';
import { PrintDialog } from './print-codes-dialog.tsx';

/** Shows newly created codes; only its button closes the dialog. */
export function NewCodesDialog({ handout, onClose }: { handout: PrintableCodes; onClose: () => void }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const titleId = useId();
  const copy = useCopy();
  const [printing, setPrinting] = useState(false);
  const { codes, name } = handout;
  const text = codes.join('\n');
  return (
    <>
      <Dialog open aria-labelledby={titleId} maxWidth="sm" fullWidth>
        <DialogTitle id={titleId}>{t('madeTitle', { count: codes.length })}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
          <Alert severity="info">{t('madeText')}</Alert>
          <Box
            component="pre"
            tabIndex={0}
            aria-label={t('codes')}
            sx={{
              m: 0,
              p: 1.5,
              maxHeight: 320,
              overflow: 'auto',
              borderRadius: 1,
              border: 1,
              borderColor: 'divider',
              bgcolor: 'background.default',
              fontFamily: monoFont,
              fontSize: '0.8125rem',
              lineHeight: 1.6,
            }}
          >
            {text}
          </Box>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<IconCopy size={18} />}
              onClick={() => void copy(text, t('codesInText'))}
            >
              {t('copyAll')}
            </Button>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<IconDownload size={18} />}
              onClick={() => saveFile(`${fileName(name)}.txt`, `${text}\n`, 'text/plain;charset=utf-8')}
            >
              {t('download')}
            </Button>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<IconPrinter size={18} />}
              onClick={() => setPrinting(true)}
            >
              {t('printSheet')}
            </Button>
          </Box>
        </DialogContent>
        <DialogActions>
          <Button variant="contained" onClick={onClose}>
            {t('common:close')}
          </Button>
        </DialogActions>
      </Dialog>
      {printing && <PrintDialog handout={handout} onClose={() => setPrinting(false)} />}
    </>
  );
}

/** Returns a batch's name reduced to characters that every file system accepts. */
function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'codes';
}

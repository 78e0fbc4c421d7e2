import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { saveFile } from '../../../ui/table/csv-export.ts';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useServerAddress, useSystemName } from '../../site/site/queries.ts';
import { useCurrentUser } from '../session/queries.ts';

interface RecoveryCodesDialogProps {
  codes: readonly string[];
  onClose: () => void;
}

/** Shows the recovery codes once; only the button that confirms that they are stored closes the dialog. */
export function RecoveryCodesDialog({ codes, onClose }: RecoveryCodesDialogProps) {
  const { t } = useTranslation('second-factor');
  const titleId = useId();
  const copy = useCopy();
  const site = useSystemName();
  const address = useServerAddress();
  const name = useCurrentUser()?.username ?? '';
  const text = codes.join('\n');
  const save = () => {
    const heading = t('fileHeading', { site, address, name });
    saveFile('recovery-codes.txt', `${heading}\n\n${text}\n`, 'text/plain;charset=utf-8');
  };
  return (
    <Dialog open aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('codesTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <Alert severity="warning">{t('codesText')}</Alert>
        <Box
          component="ul"
          aria-label={t('recoveryCodes')}
          sx={{
            display: 'grid',
            gridTemplateColumns: 'repeat(2, max-content)',
            justifyContent: 'space-evenly',
            rowGap: 1,
            listStyle: 'none',
            m: 0,
            p: 1.5,
            borderRadius: 1,
            border: 1,
            borderColor: 'divider',
            bgcolor: 'background.default',
            fontFamily: monoFont,
            fontSize: '0.875rem',
          }}
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <Button
            variant="outlined"
            color="inherit"
            startIcon={<IconCopy size={18} />}
            onClick={() => void copy(text, t('recoveryCodesInText'))}
          >
            {t('copy')}
          </Button>
          <Button variant="outlined" color="inherit" startIcon={<IconDownload size={18} />} onClick={save}>
            {t('download')}
          </Button>
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t('stored')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

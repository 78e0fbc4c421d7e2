import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { EditResults } from '@switchyard/contract/users';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../ui/name.tsx';

interface RefusedUsersProps {
  /** Each with its refusal. */
  results: EditResults;
  onClose: () => void;
}

/** Who was left as they were by a change of several, and why. */
export function RefusedUsers({ results, onClose }: RefusedUsersProps) {
  const { t } = useTranslation(['users', 'common', 'errors']);
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('refusedTitle', { count: results.length })}</DialogTitle>
      <DialogContent>
        <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 1 }}>
          {results.map(({ id, username, refusal }) => (
            <li key={id}>
              <Name id={id}>{username === '' ? `#${id}` : username}</Name>:{' '}
              {refusal !== null && t(`errors:code.${refusal.code}`)}
            </li>
          ))}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t('common:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

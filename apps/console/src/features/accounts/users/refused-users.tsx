import Box from '@mui/material/Box';
import type { EditResults } from '@switchyard/contract/accounts/users';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/name.tsx';
import { ReadingDialog } from '../../../ui/overlays/reading-dialog.tsx';

interface RefusedUsersProps {
  /** Each with its refusal. */
  results: EditResults;
  onClose: () => void;
}

/** Lists the users whom a bulk edit refused to change, each with the reason. */
export function RefusedUsers({ results, onClose }: RefusedUsersProps) {
  const { t } = useTranslation(['users', 'errors']);
  return (
    <ReadingDialog open onClose={onClose} title={t('refusedTitle', { count: results.length })} maxWidth="xs">
      <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 1 }}>
        {results.map(({ id, username, refusal }) => (
          <li key={id}>
            <Name id={id}>{username === '' ? `#${id}` : username}</Name>:{' '}
            {refusal !== null && t(`errors:code.${refusal.code}`)}
          </li>
        ))}
      </Box>
    </ReadingDialog>
  );
}

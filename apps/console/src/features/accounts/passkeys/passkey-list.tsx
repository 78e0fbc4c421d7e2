import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { RowList } from '../../../ui/layout/list-row.tsx';
import { NewPasskeyDialog } from './new-passkey-dialog.tsx';
import { PasskeyRow } from './passkey-row.tsx';
import { browserHasPasskeys, passkeysQuery } from './queries.ts';

/** The own passkeys. */
export function PasskeyList() {
  const { t } = useTranslation('passkeys');
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  const [adding, setAdding] = useState(false);
  if (passkeys === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  const possible = browserHasPasskeys();
  return (
    <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(possible ? 'intro' : 'notHere')}
      </Typography>
      {passkeys.length > 0 && (
        <RowList label={t('title')}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </RowList>
      )}
      <Button variant="outlined" color="inherit" disabled={!possible} onClick={() => setAdding(true)}>
        {t('add')}
      </Button>
      <NewPasskeyDialog open={adding} onClose={() => setAdding(false)} />
    </Box>
  );
}

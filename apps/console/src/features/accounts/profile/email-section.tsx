import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { Self } from '@switchyard/contract/accounts/profile';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { EmailForm } from './email-form.tsx';

/** The mail address, and a way to another. */
export function EmailSection({ self: { email, email_verified } }: { self: Self }) {
  const { t } = useTranslation('profile');
  const [changing, setChanging] = useState(false);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography sx={{ overflowWrap: 'anywhere', color: email === '' ? 'text.secondary' : 'inherit' }}>
          {email === '' ? t('mail.none') : email}
        </Typography>
        {email !== '' && (
          <StatusChip tone={email_verified ? 'success' : 'neutral'}>
            {t(email_verified ? 'mail.verified' : 'mail.unverified')}
          </StatusChip>
        )}
        {!changing && (
          <Button
            variant="outlined"
            color="inherit"
            sx={{ ml: { sm: 'auto' } }}
            onClick={() => setChanging(true)}
          >
            {t(email === '' ? 'mail.add' : 'mail.change')}
          </Button>
        )}
      </Box>
      {changing && <EmailForm onClose={() => setChanging(false)} />}
    </Box>
  );
}

import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/page-header.tsx';
import { KeyRotation } from './key-rotation.tsx';

/** How stored secrets are sealed, for root. */
export function SecretsPage() {
  const { t } = useTranslation('secrets');
  return (
    <>
      <PageHeader title={t('title')} />
      <Box sx={{ maxWidth: 760 }}>
        <KeyRotation />
      </Box>
    </>
  );
}

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { Help } from '../../../ui/form/help.tsx';

/**
 * Shows the address to which the payment provider must send its webhook events; empty while the site's public URL is
 * not set.
 */
export function NotifyAddress({ url }: { url: string }) {
  const { t } = useTranslation('processors');
  if (url === '') return <Alert severity="warning">{t('noServerAddress')}</Alert>;
  return (
    <Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, fontSize: '0.8125rem', fontWeight: 500 }}>
        {t('notifyUrl')}
        <Help text={t('notifyUrlHelp')} />
      </Box>
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          overflowWrap: 'anywhere',
          fontSize: '0.8125rem',
        }}
      >
        <Mono>{url}</Mono>
        <CopyButton text={url} what={t('notifyUrl')} />
      </Box>
    </Box>
  );
}

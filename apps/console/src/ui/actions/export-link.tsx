import Button from '@mui/material/Button';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Downloads everything that a list's filter matches, as a file from the server. */
export function ExportLink({ href }: { href: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      variant="outlined"
      color="inherit"
      startIcon={<IconDownload size={18} />}
      href={href}
      download
    >
      {t('table.exportCsv')}
    </Button>
  );
}

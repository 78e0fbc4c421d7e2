import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** Stands in the filter bar's place while rows are selected. */
export function BulkBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Box
      role="toolbar"
      aria-label={t('table.bulk')}
      sx={{
        display: 'flex',
        alignItems: 'center',
        flexWrap: 'wrap',
        gap: 1,
        minHeight: 52,
        px: 1.5,
        py: 1,
        bgcolor: 'primary.soft',
      }}
    >
      <IconButton size="small" onClick={onClear} aria-label={t('table.clearSelection')}>
        <IconX size={18} />
      </IconButton>
      <Box component="span" aria-live="polite" sx={{ color: 'primary.onSoft', fontWeight: 500, mr: 1 }}>
        {t('table.selected', { count })}
      </Box>
      {children}
    </Box>
  );
}

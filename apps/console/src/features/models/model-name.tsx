import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Mono } from '../../ui/mono.tsx';
import { ProviderLogo } from '../../ui/provider-logo.tsx';
import type { ModelRow } from './model-row.ts';

export function ModelName({ row }: { row: ModelRow }) {
  const { t } = useTranslation('models');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <ProviderLogo provider={row.owner} />
      <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{row.name}</Mono>
      </Box>
      {/* On phones the name stands inside the card's own button. */}
      <Box sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <CopyButton text={row.name} what={t('modelId')} />
      </Box>
    </Box>
  );
}

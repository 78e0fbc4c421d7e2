import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { useOwners } from '../model-owners/queries.ts';
import type { ModelRow } from './model-row.ts';

export function ModelName({ row }: { row: ModelRow }) {
  const { t } = useTranslation('models');
  const icon = useOwners().find(({ name }) => name === row.owner)?.icon ?? row.owner;
  const { name } = row.facts;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <ProviderLogo provider={icon} />
      <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{row.name}</Mono>
        {name !== undefined && (
          <Box component="span" sx={{ ml: 1, color: 'text.secondary' }}>
            <Name>{name}</Name>
          </Box>
        )}
      </Box>
      {/* On phones the name stands inside the card's own button. */}
      <Box sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <CopyButton text={row.name} what={t('modelId')} />
      </Box>
    </Box>
  );
}

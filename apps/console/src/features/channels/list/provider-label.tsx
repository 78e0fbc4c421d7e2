import Box from '@mui/material/Box';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { useProviderNameById } from './channel-names.ts';

/** A provider's mark and name. */
export function ProviderLabel({ id }: { id: string }) {
  const name = useProviderNameById()(id);
  return (
    <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <ProviderLogo provider={id} size={16} />
      <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {name}
      </Box>
    </Box>
  );
}

import Box from '@mui/material/Box';
import { IconCube } from '@tabler/icons-react';
import { isPicture, providerLogo } from './provider-logos.ts';

/**
 * A vendor's mark beside its name; decorative, so it has no name of its own. Unknown vendors get a neutral one.
 * @param provider its id or name, or the picture of an owner that the operator added
 */
export function ProviderLogo({ provider, size = 18 }: { provider: string; size?: number }) {
  if (isPicture(provider))
    return <img src={provider} width={size} height={size} alt="" style={{ objectFit: 'contain' }} />;
  const logo = providerLogo(provider);
  if (logo === undefined) {
    return (
      <Box component="span" aria-hidden sx={{ lineHeight: 0, color: 'text.secondary' }}>
        <IconCube size={size} stroke={1.5} />
      </Box>
    );
  }
  if (logo.colour) return <img src={logo.url} width={size} height={size} alt="" loading="lazy" />;
  // A one-colour mark takes the text's colour, so that it is visible in both schemes.
  const mask = `url("${logo.url}") center / contain no-repeat`;
  return (
    <Box
      component="span"
      aria-hidden
      sx={{
        display: 'inline-block',
        flexShrink: 0,
        width: size,
        height: size,
        bgcolor: 'text.primary',
        mask,
      }}
    />
  );
}

import Box from '@mui/material/Box';
import { IconCube } from '@tabler/icons-react';
import { isPicture, providerLogo } from './provider-logos.ts';

/**
 * Shows a provider's logo beside its name, hidden from screen readers; a neutral icon for an unknown one.
 * @param provider id or name, or the data URL of an added owner's picture
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
  // A monochrome logo takes the text colour, so that it is visible in both schemes.
  const mask = `url("${logo.url}") center / contain no-repeat`;
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ display: 'inline-block', flexShrink: 0, width: size, height: size, bgcolor: 'text.primary', mask }}
    />
  );
}

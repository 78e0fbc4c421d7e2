import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Link as RouterLink } from '@tanstack/react-router';
import { useSite, useSystemName } from '../../features/site/site/queries.ts';

/** Shows the operator's logo, or the default logo with the site's name. */
export function SiteLogo() {
  const logo = useSite()?.logo ?? '';
  const name = useSystemName();
  return (
    <Box
      component={RouterLink}
      to="/"
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.25,
        color: 'text.primary',
        textDecoration: 'none',
        minWidth: 0,
      }}
    >
      {logo === '' ? (
        <img src="/favicon.svg" width={28} height={28} alt="" />
      ) : (
        <img src={logo} alt="" height={32} style={{ maxWidth: 140, objectFit: 'contain' }} />
      )}
      <Typography component="span" sx={{ fontSize: '1rem', fontWeight: 600 }} noWrap>
        {name}
      </Typography>
    </Box>
  );
}

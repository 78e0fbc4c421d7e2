import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { CustomPage } from '../../../ui/layout/custom-page.tsx';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import { homePageQuery, useServerAddress, useSystemName } from '../site/queries.ts';

/** Shows the operator's home page, or a description of the gateway. */
export function HomePage() {
  const { t } = useTranslation('home');
  const name = useSystemName();
  const address = useServerAddress();
  const signedIn = useCurrentUser() !== null;
  const custom = useQuery(homePageQuery);
  if (custom.isPending) return null;
  if (custom.data !== undefined && custom.data.trim() !== '')
    return <CustomPage page="home" content={custom.data} title={name} />;
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { md: '1fr 1fr' },
        alignItems: 'center',
        gap: { xs: 4, md: 8 },
        width: '100%',
        maxWidth: 1100,
        m: 'auto',
        px: { xs: 2, md: 3 },
        py: 6,
      }}
    >
      <Box>
        <Typography
          variant="h1"
          sx={{ fontSize: { xs: '1.75rem', md: '2.5rem' }, lineHeight: 1.2, textWrap: 'balance' }}
        >
          {t('headline')}
        </Typography>
        <Typography sx={{ mt: 2, mb: 3, fontSize: '1rem', color: 'text.secondary', maxWidth: 520 }}>
          {t('text', { name })}
        </Typography>
        <LinkButton to={signedIn ? '/panel' : paths.signIn} variant="contained" size="large">
          {t(signedIn ? 'console' : 'signIn')}
        </LinkButton>
      </Box>
      <Box sx={{ display: 'grid', gap: 2, minWidth: 0 }}>
        <Labelled label={t('baseUrl')} code={`${address}/v1`} />
        <Labelled label={t('example')} code={firstCall(address)} />
      </Box>
    </Box>
  );
}

function Labelled({ label, code }: { label: string; code: string }) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Typography variant="caption" sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
      <CodeBlock code={code} label={label} />
    </Box>
  );
}

function firstCall(address: string): string {
  return [
    `curl ${address}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"model": "gpt-5-mini",`,
    `       "messages": [{"role": "user", "content": "Hello"}]}'`,
  ].join('\n');
}

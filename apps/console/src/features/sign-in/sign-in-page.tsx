import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from '../../ui/search-params.ts';
import { useSelf } from '../session/queries.ts';
import { useSystemName } from '../site/queries.ts';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const name = useSystemName();
  useGoOnWhenSignedIn();
  return (
    <Box sx={{ flexGrow: 1, display: 'grid', placeItems: 'center', p: 2, pb: '12vh' }}>
      <Paper
        variant="outlined"
        sx={{ width: '100%', maxWidth: 400, borderRadius: 1.5, p: { xs: 2.5, sm: 4 } }}
      >
        <Typography variant="h1">{t('title')}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', mb: 3 }}>
          {name}
        </Typography>
        <SignInForm />
      </Paper>
    </Box>
  );
}

/** Back to where the visitor wanted to go; only to addresses inside the panel. */
function useGoOnWhenSignedIn() {
  const signedIn = useSelf() !== null;
  const navigate = useNavigate();
  const next = useSearchParams()['next'] ?? '';
  useEffect(() => {
    if (!signedIn) return;
    const target = next.startsWith('/panel/') ? next : '/panel';
    void navigate({ href: target, replace: true });
  }, [signedIn, next, navigate]);
}

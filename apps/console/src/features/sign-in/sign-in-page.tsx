import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { credentials } from '@switchyard/contract/sign-in';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Form } from '../../ui/form/form.tsx';
import { TextInput } from '../../ui/form/text-input.tsx';
import { useContractForm } from '../../ui/form/use-contract-form.ts';
import { useSearchParams } from '../../ui/search-params.ts';
import { useSelf, useSignIn } from '../session/queries.ts';
import { useSystemName } from '../site/queries.ts';

export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const name = useSystemName();
  const signIn = useSignIn();
  useGoOnWhenSignedIn();
  const contractForm = useContractForm({
    schema: credentials,
    values: { username: '', password: '' },
    onSubmit: (values) => signIn.mutateAsync(values),
  });
  const { control, formState } = contractForm.form;
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
        <Form form={contractForm}>
          <TextInput
            control={control}
            name="username"
            label={t('username')}
            autoComplete="username"
            autoFocus
          />
          <TextInput
            control={control}
            name="password"
            label={t('password')}
            type="password"
            autoComplete="current-password"
          />
          <Button
            type="submit"
            variant="contained"
            size="large"
            fullWidth
            loading={formState.isSubmitting}
            sx={{ mt: 1 }}
          >
            {t('submit')}
          </Button>
        </Form>
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

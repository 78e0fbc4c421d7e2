import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { createRoot } from '@switchyard/contract/accounts/set-up';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { siteQuery } from '../../site/site/queries.ts';
import { selfQuery } from '../session/queries.ts';
import { createRootAccount } from './queries.ts';

export function AccountStep({ code, onDone }: { code: string; onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const client = useQueryClient();
  const contractForm = useContractForm({
    schema: createRoot,
    values: { code, username: 'root', password: '' },
    onSubmit: async (body) => {
      const self = await createRootAccount({ body });
      // The code is spent; it should not stay in the address or the history.
      history.replaceState(history.state, '', location.pathname);
      client.setQueryData(selfQuery.queryKey, self);
      onDone();
      await client.invalidateQueries({ queryKey: siteQuery.queryKey });
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <Box>
        <Typography variant="h2">{t('account.title')}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('account.text')}
        </Typography>
      </Box>
      <TextInput
        control={control}
        name="username"
        label={t('account.username')}
        autoComplete="username"
        autoFocus
      />
      <SecretInput control={control} name="password" label={t('account.password')} />
      <Box>
        <Button type="submit" variant="contained" loading={formState.isSubmitting}>
          {t('account.submit')}
        </Button>
      </Box>
    </Form>
  );
}

import Box from '@mui/material/Box';
import type { SettingName, Settings } from '@switchyard/contract/operations/settings';
import { useQuery } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { secretHintsQuery, useClearSecret } from './queries.ts';
import { refusedFields, useRefusal } from './use-refusal.ts';

interface SecretSettingProps {
  form: UseFormReturn<Settings>;
  name: SettingName;
  label: string;
  help: string;
}

/** A secret can be typed anew or cleared, never read. Clearing does not wait for the form: an empty field keeps it. */
export function SecretSetting({ form, name, label, help }: SecretSettingProps) {
  const { t } = useTranslation('settings');
  const hint = useQuery(secretHintsQuery).data?.get(name);
  const clear = useClearSecret();
  const refusal = useRefusal();
  const onConfirm = async () => {
    try {
      await clear.mutateAsync(name);
      notify('success', t('secret.cleared', { label }));
    } catch (error) {
      const fields = refusedFields(refusal(error));
      if (fields.length === 0) throw error;
      form.setError(name, { message: fields.map(({ message }) => message).join(' ') });
    }
  };
  const isSet = hint !== undefined && hint !== '';
  return (
    <Box>
      <SecretInput
        control={form.control}
        name={name}
        label={label}
        help={help}
        stored={isSet ? `…${hint}` : ''}
        hint={hint === '' ? t('secret.notSet') : undefined}
      />
      {isSet && (
        <ConfirmButton
          size="small"
          sx={{ mt: 0.5 }}
          aria-label={t('secret.clearThis', { label })}
          question={{
            title: t('secret.question', { label }),
            text: t('secret.lost'),
            verb: t('secret.clear'),
          }}
          onConfirm={onConfirm}
        >
          {t('secret.clear')}
        </ConfirmButton>
      )}
    </Box>
  );
}

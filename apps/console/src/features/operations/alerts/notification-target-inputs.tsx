import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { NotificationTargetForm } from '@switchyard/contract/operations/alerts';
import {
  listTargetFields,
  type NotificationTargetType,
} from '@switchyard/contract/operations/notification-target-types';
import { useState } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';

const SECRET_BYTES = 32;

interface ConfigInputsProps {
  isOwn: boolean;
  type: NotificationTargetType;
  control: Control<NotificationTargetForm>;
  /** Hints of the stored values, by field. */
  hints: Readonly<Record<string, string>>;
  onSecretMade: (secret: string) => void;
}

/** Renders the contract's fields of a notification channel. The server returns only hints of secrets. */
export function ConfigInputs({ isOwn, type, control, hints, onSecretMade }: ConfigInputsProps) {
  const { t } = useTranslation('alerts');
  const fields = listTargetFields(type, isOwn);
  if (fields.length === 0)
    return (
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('boundTelegram')}
      </Typography>
    );
  const isStored = Object.keys(hints).length > 0;
  return (
    <>
      {fields.map(({ name, kind, required, usual = 'https://' }) => {
        const input = {
          control,
          name: `config.${name}` as const,
          label: required || name === 'chat' ? t(`field.${name}`) : t('optional', { field: t(`field.${name}`) }),
        };
        const stored = hints[name] ?? '';
        if (kind === 'secret') return <SecretInput key={name} {...input} stored={stored} />;
        const isAddress = kind === 'address';
        return (
          <TextInput
            key={name}
            {...input}
            {...(isAddress && isStored ? { hint: t('addressHint') } : {})}
            type={isAddress ? 'url' : 'text'}
            placeholder={stored || (isAddress ? usual : '')}
            mono
          />
        );
      })}
      {type === 'webhook' && <SecretMaker onMade={onSecretMade} />}
    </>
  );
}

/** Creates a secret in the format of Standard Webhooks and shows it for copying before it is saved. */
function SecretMaker({ onMade }: { onMade: (secret: string) => void }) {
  const { t } = useTranslation('alerts');
  const [made, setMade] = useState<string>();
  const make = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    const secret = `whsec_${btoa(String.fromCharCode(...bytes))}`;
    setMade(secret);
    onMade(secret);
  };
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1, justifyItems: 'start' }}>
      <Button size="small" variant="outlined" color="inherit" onClick={make}>
        {t('makeSecret')}
      </Button>
      {made !== undefined && (
        <Box sx={{ width: '100%' }}>
          <Typography variant="body2" sx={{ color: 'text.secondary', pb: 0.5 }}>
            {t('copySecret')}
          </Typography>
          <CodeBlock code={made} label={t('field.secret')} />
        </Box>
      )}
    </Box>
  );
}

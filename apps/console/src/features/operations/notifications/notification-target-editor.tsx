import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import {
  listTargetFields,
  type NotificationTargetType,
  notificationTargetTypeInfo,
  notificationTargetTypes,
} from '@switchyard/contract/operations/notification-target-types';
import {
  type NotificationTarget,
  type NotificationTargetForm,
  notificationTargetForm,
  type NotificationTargetForm as Values,
} from '@switchyard/contract/operations/notifications';
import { useState } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { type Owner, useAvailableEvents, useCreateNotificationTarget, useUpdateNotificationTarget } from './queries.ts';

const WIDTH = 600;

interface DestinationEditorProps {
  owner: Owner;
  /** Undefined while closed. */
  destination: NotificationTarget | 'new' | undefined;
  onClose: () => void;
}

export function NotificationTargetEditor({ owner, destination, onClose }: DestinationEditorProps) {
  const { t } = useTranslation('alerts');
  return (
    <DetailDrawer
      open={destination !== undefined}
      onClose={onClose}
      title={t(destination === 'new' ? 'new' : 'editTitle')}
      width={WIDTH}
    >
      {destination === 'new' && <NewDestination owner={owner} onClose={onClose} />}
      {destination !== undefined && destination !== 'new' && (
        <DestinationForm
          key={destination.id}
          owner={owner}
          stored={destination}
          type={destination.type}
          onClose={onClose}
        />
      )}
    </DetailDrawer>
  );
}

function NewDestination({ owner, onClose }: Omit<DestinationEditorProps, 'destination'>) {
  const { t } = useTranslation('alerts');
  const types = notificationTargetTypes.filter((type) => owner === 'site' || notificationTargetTypeInfo[type].own);
  const [type, setType] = useState<NotificationTargetType>('webhook');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <ChoiceRow
        label={t('way')}
        value={type}
        options={toOptions(types, (value) => t(`type.${value}`))}
        onChange={setType}
      />
      <DestinationForm key={type} owner={owner} stored={undefined} type={type} onClose={onClose} />
    </Box>
  );
}

interface DestinationFormProps {
  owner: Owner;
  stored: NotificationTarget | undefined;
  type: NotificationTargetType;
  onClose: () => void;
}

function DestinationForm({ owner, stored, type, onClose }: DestinationFormProps) {
  const { t } = useTranslation(['alerts', 'common']);
  const create = useCreateNotificationTarget(owner);
  const update = useUpdateNotificationTarget(owner);
  const events = useAvailableEvents(owner);
  const contractForm = useContractForm<Values>({
    schema: notificationTargetForm,
    values: {
      type,
      name: stored?.name ?? t(`type.${type}`),
      events: stored?.events ?? [],
      enabled: stored?.enabled ?? true,
      config: Object.fromEntries(listTargetFields(type, owner === 'own').map(({ name }) => [name, ''])),
    },
    onSubmit: async ({ config, ...values }) => {
      // The server keeps a stored value that is not sent.
      const typed = Object.fromEntries(Object.entries(config).filter(([, value]) => value.trim() !== ''));
      if (stored === undefined) await create.mutateAsync({ ...values, config: typed });
      else {
        const { type: _fixed, ...body } = values;
        await update.mutateAsync({
          id: stored.id,
          body: { ...body, ...(Object.keys(typed).length === 0 ? {} : { config: typed }) },
        });
      }
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState, setValue } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} />
      <ConfigInputs
        isOwn={owner === 'own'}
        type={type}
        control={control}
        hints={stored?.hints ?? {}}
        onSecretMade={(secret) => setValue('config.secret', secret, { shouldDirty: true })}
      />
      <CheckChipsInput
        control={control}
        name="events"
        label={t('events')}
        hint={t('eventsHint')}
        options={toOptions(events, (value) => t(`event.${value}`))}
      />
      <SwitchInput control={control} name="enabled" label={t('enabled')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

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
function ConfigInputs({ isOwn, type, control, hints, onSecretMade }: ConfigInputsProps) {
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

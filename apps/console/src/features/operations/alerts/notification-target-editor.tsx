import Box from '@mui/material/Box';
import {
  type NotificationTarget,
  notificationTargetForm,
  type NotificationTargetForm as Values,
} from '@switchyard/contract/operations/alerts';
import {
  listTargetFields,
  type NotificationTargetType,
  notificationTargetTypeInfo,
  notificationTargetTypes,
} from '@switchyard/contract/operations/notification-target-types';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { ConfigInputs } from './notification-target-inputs.tsx';
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

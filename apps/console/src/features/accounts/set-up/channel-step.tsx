import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type CreateChannel, createChannel, type Provider } from '@switchyard/contract/channels/channels';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { Form } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { ProviderPicker } from '../../../ui/inputs/provider-picker.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { fetchModels, providersQuery, testChannel, useCreateChannel } from '../../channels/queries.ts';

export function ChannelStep({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const providers = useQuery(providersQuery);
  return (
    <StepFrame title={t('channel.title')} text={t('channel.text')}>
      {providers.isError && <ErrorPanel error={providers.error} onRetry={() => void providers.refetch()} />}
      {providers.data !== undefined && <ChannelForm providers={providers.data} onDone={onDone} />}
      <Button onClick={onDone} color="inherit" sx={{ justifySelf: 'start' }}>
        {t('later')}
      </Button>
    </StepFrame>
  );
}

/** Shows only the fields that every provider needs; the channel editor has the others. */
function ChannelForm({ providers, onDone }: { providers: readonly Provider[]; onDone: () => void }) {
  const { t } = useTranslation('set-up');
  const notifyError = useNotifyError();
  const report = useTestReport();
  const { mutateAsync: createFirst } = useCreateChannel();
  const contractForm = useContractForm({
    schema: createChannel,
    values: emptyChannel(providers[0]),
    onSubmit: async (values) => {
      const label = providers.find(({ type }) => type === values.type)?.label ?? '';
      const [channel] = await createFirst({ ...values, name: label, test_model: values.models[0] ?? '' });
      if (channel !== undefined) report(await testChannel(channel.id));
      onDone();
    },
  });
  const { control, formState, getValues, setValue } = contractForm.form;
  const chosenType = useWatch({ control, name: 'type' });
  const chosen = providers.find(({ type }) => type === chosenType);
  const vendorModels = useMutation({
    mutationFn: () => {
      const { type, base_url, options, model_headers, proxy, key } = getValues();
      return fetchModels({ type, base_url, options, model_headers, proxy, key });
    },
    onSuccess: (models) => setValue('models', models, { shouldValidate: true, shouldDirty: true }),
    onError: notifyError,
  });
  return (
    <Form form={contractForm}>
      <ProviderPicker control={control} name="type" label={t('channel.provider')} providers={providers} />
      <TextInput control={control} name="base_url" label={t('channel.baseUrl')} placeholder={chosen?.base_url ?? ''} />
      <SecretInput control={control} name="key" label={t('channel.key')} />
      <MultiSelectInput
        control={control}
        name="models"
        label={t('channel.models')}
        help={t('channel.modelsHelp')}
        options={toOptions(vendorModels.data ?? [])}
        free
      />
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <Button type="submit" variant="contained" loading={formState.isSubmitting}>
          {t('channel.create')}
        </Button>
        {chosen?.can_list_models === true && (
          <Button
            variant="outlined"
            color="inherit"
            loading={vendorModels.isPending}
            onClick={() => vendorModels.mutate()}
          >
            {t('channel.fetchModels')}
          </Button>
        )}
      </Box>
    </Form>
  );
}

function useTestReport() {
  const { t } = useTranslation(['set-up', 'channels']);
  const format = useFormat();
  return ({ success, duration, problem, message }: Awaited<ReturnType<typeof testChannel>>) => {
    if (success) return notify('success', t('channel.works', { duration: format.duration(duration) }));
    const wrong = problem === null ? message : t(`channels:tests.problem.${problem}.is`);
    notify('warning', t('channel.failed', { message: wrong }), { detail: message });
  };
}

function emptyChannel(provider: Provider | undefined): CreateChannel {
  const defaults = createChannel.parse({ name: provider?.label ?? '-', type: provider?.type ?? 0, models: ['-'] });
  return { ...defaults, models: [] };
}

export function StepFrame({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <Box>
        <Typography variant="h2">{title}</Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text}
        </Typography>
      </Box>
      {children}
    </Box>
  );
}

/** Inputs of the token form that most tokens do not need. */
import type { CreateApiKey } from '@switchyard/contract/accounts/api-keys';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { ManyPickerInput } from '../../../ui/inputs/picker-input.tsx';
import { ownModelsQuery } from '../../catalog/models/queries.ts';
import { BUDGET_PERIODS } from './budget-use.ts';

/** Renders the inputs for a token's budgets, models, allowed addresses and rate limit. */
export function LimitInputs({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  const models = useQuery(ownModelsQuery);
  return (
    <>
      {BUDGET_PERIODS.map((period) => (
        <PointsInput
          key={period}
          control={control}
          name={`setting.limits.budgets.${period}`}
          label={t(`budget.${period}`)}
          help={t('budgetHelp')}
        />
      ))}
      <ManyPickerInput
        control={control}
        name="setting.limits.limit_model_setting.models"
        label={t('models')}
        help={t('modelsHelp')}
        placeholder={t('all')}
        options={(models.data ?? []).map((name) => ({ value: name, label: name }))}
        loading={models.isPending}
        free
      />
      <ManyPickerInput
        control={control}
        name="setting.limits.limits_ip_setting.whitelist"
        label={t('addresses')}
        help={t('addressesHelp')}
        placeholder={t('all')}
        options={[]}
        free
      />
      <NumberInput control={control} name="api_rate" label={t('rate')} hint={t('rateHint')} />
      <NumberInput
        control={control}
        name="setting.limits.tokens_per_minute"
        label={t('tokensPerMinute')}
        hint={t('rateHint')}
      />
      <NumberInput
        control={control}
        name="setting.limits.concurrency"
        label={t('concurrency')}
        hint={t('concurrencyHint')}
      />
    </>
  );
}

/** Renders the switch that rejects lossy translation, for clients that prefer an error. */
export function StrictInput({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  return (
    <SwitchInput
      control={control}
      name="setting.strict_translation"
      label={t('strict')}
      help={t('strictHelp')}
    />
  );
}

/** Signs of life for clients that give up a silent stream. */
export function HeartbeatInputs({ control }: { control: Control<CreateApiKey> }) {
  const { t } = useTranslation('api-keys');
  const heartbeat = useWatch({ control, name: 'setting.heartbeat.enabled' });
  return (
    <>
      <SwitchInput
        control={control}
        name="setting.heartbeat.enabled"
        label={t('heartbeat')}
        help={t('heartbeatHelp')}
      />
      {heartbeat && (
        <NumberInput
          control={control}
          name="setting.heartbeat.timeout_seconds"
          label={t('heartbeatSeconds')}
          unit="s"
        />
      )}
    </>
  );
}

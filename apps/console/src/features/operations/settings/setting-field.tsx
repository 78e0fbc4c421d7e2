import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { testSchedule } from '@switchyard/contract/channels/channel-tests';
import { resultStorage, testedChannels } from '@switchyard/contract/operations/setting-schemas';
import { isSecret, type SettingName, type Settings, settingToText } from '@switchyard/contract/operations/settings';
import { IconHistory, IconRestore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { type Control, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { languageNames, languages } from '../../../i18n/languages.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { useDebounced } from '../../../ui/browser/use-debounced.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { MarkdownInput } from '../../../ui/inputs/markdown-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { scheduleEstimateQuery } from '../../channels/queries.ts';
import { ChatLinksInput } from './chat-links-input.tsx';
import { JsonSetting } from './json-setting-input.tsx';
import { FallbacksInput } from './model-fallbacks-input.tsx';
import { secretHintsQuery, useClearSecret } from './queries.ts';
import { callbackPaths, settingControls } from './setting-controls.ts';
import { settingDefaults } from './settings-form-values.ts';
import { DiscountsInput } from './top-up-discounts-input.tsx';
import { refusedFields, useSettingErrors } from './use-setting-errors.ts';

interface SettingFieldProps {
  form: UseFormReturn<Settings>;
  name: SettingName;
}

interface HistoricFieldProps extends SettingFieldProps {
  onHistory: (name: SettingName) => void;
}

/**
 * Shows a setting and, while it differs from its default, its history and a reset. Memoized, because the page
 * has more than a hundred settings.
 */
export const SettingField = memo(function SettingField({ form, name, onHistory }: HistoricFieldProps) {
  const { t } = useTranslation('settings');
  const value = useWatch({ control: form.control, name });
  const isDefault = settingToText(name, value) === settingToText(name, settingDefaults[name]);
  const reset = t('reset', { label: t(`setting.${name}.label`) });
  const history = t('history.titleOf', { label: t(`setting.${name}.label`) });
  return (
    <Box sx={{ position: 'relative' }}>
      <SettingControl form={form} name={name} />
      {!isDefault && !isSecret(name) && (
        <Box sx={{ position: 'absolute', top: -5, right: 0, display: 'flex' }}>
          <Tooltip title={history}>
            <IconButton size="small" aria-label={history} onClick={() => onHistory(name)}>
              <IconHistory size={16} />
            </IconButton>
          </Tooltip>
          <Tooltip title={reset}>
            <IconButton
              size="small"
              aria-label={reset}
              onClick={() => form.setValue(name, settingDefaults[name], { shouldDirty: true, shouldValidate: true })}
            >
              <IconRestore size={16} />
            </IconButton>
          </Tooltip>
        </Box>
      )}
    </Box>
  );
});

const narrow = { maxWidth: 320 };

function SettingControl({ form, name }: SettingFieldProps) {
  const { t } = useTranslation('settings');
  const field = { control: form.control, name, label: t(`setting.${name}.label`), help: t(`setting.${name}.help`) };
  switch (settingControls[name]) {
    case 'switch':
      return <SwitchInput {...field} />;
    case 'number':
      return <Box sx={narrow}>{<NumberInput {...field} />}</Box>;
    case 'seconds':
      return <Box sx={narrow}>{<NumberInput {...field} unit={t('seconds')} />}</Box>;
    case 'minutes':
      return <Box sx={narrow}>{<NumberInput {...field} unit={t('minutes')} />}</Box>;
    case 'days':
      return <Box sx={narrow}>{<NumberInput {...field} unit={t('days')} />}</Box>;
    case 'megabytes':
      return <Box sx={narrow}>{<NumberInput {...field} unit="MB" />}</Box>;
    case 'gigabytes':
      return <Box sx={narrow}>{<NumberInput {...field} unit="GB" />}</Box>;
    case 'usd':
      return <Box sx={narrow}>{<NumberInput {...field} before="$" />}</Box>;
    case 'percent':
      return <Box sx={narrow}>{<NumberInput {...field} unit="%" />}</Box>;
    case 'points':
      return <Box sx={narrow}>{<PointsInput {...field} />}</Box>;
    case 'line':
      return <TextInput {...field} />;
    case 'client-id':
      return <ClientIdInput {...field} />;
    case 'secret':
      return <SecretSetting {...field} form={form} />;
    case 'domains':
      return <MultiSelectInput {...field} options={[]} free placeholder="example.com" />;
    case 'url':
      return <TextInput {...field} type="url" placeholder="https://" />;
    case 'language':
      return (
        <Box sx={narrow}>
          <SelectInput {...field} options={toOptions(languages, (language) => languageNames[language])} />
        </Box>
      );
    case 'lines':
      return <TextInput {...field} rows={4} mono />;
    case 'paragraph':
      return <TextInput {...field} rows={3} />;
    case 'markdown':
      return <MarkdownInput {...field} />;
    case 'chat-links':
      return <JsonSetting {...field} rows={<ChatLinksInput {...field} />} />;
    case 'fallbacks':
      return <JsonSetting {...field} rows={<FallbacksInput {...field} />} />;
    case 'test-interval':
      return <TestIntervalInput {...field} />;
    case 'tested-channels':
      return (
        <Box sx={narrow}>
          <SelectInput
            {...field}
            options={toOptions(testedChannels.options, (value) => t(`testedChannels.${value}`))}
          />
        </Box>
      );
    case 'result-storage':
      return (
        <Box sx={narrow}>
          <SelectInput {...field} options={toOptions(resultStorage.options, (value) => t(`resultStorage.${value}`))} />
        </Box>
      );
    case 'discounts':
      return <DiscountsInput control={form.control} label={field.label} help={field.help} />;
  }
}

interface SecretSettingProps {
  form: UseFormReturn<Settings>;
  name: SettingName;
  label: string;
  help: string;
}

/** Replaces or clears a secret, which cannot be read. Clearing is a call: an empty field keeps it. */
function SecretSetting({ form, name, label, help }: SecretSettingProps) {
  const { t } = useTranslation('settings');
  const hint = useQuery(secretHintsQuery).data?.get(name);
  const clear = useClearSecret();
  const refusal = useSettingErrors();
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
          question={{ title: t('secret.question', { label }), text: t('secret.lost'), verb: t('secret.clear') }}
          onConfirm={onConfirm}
        >
          {t('secret.clear')}
        </ConfirmButton>
      )}
    </Box>
  );
}

interface ClientIdInputProps {
  control: Control<Settings>;
  name: SettingName;
  label: string;
  help: string;
}

/** Edits a provider's client id and shows the redirect URI, based on the server address in the form. */
function ClientIdInput(props: ClientIdInputProps) {
  const { t } = useTranslation('settings');
  const server = useWatch({ control: props.control, name: 'serverAddress' });
  const base = (server || window.location.origin).replace(/\/+$/, '');
  return <TextInput {...props} mono hint={t('callback', { address: `${base}/oauth/${callbackPaths[props.name]}` })} />;
}

interface TestIntervalInputProps {
  control: Control<Settings>;
  name: keyof Settings;
  label: string;
  help: string;
}

const MICRO_USD = 1_000_000;
const never = testSchedule.parse({
  every_minutes: 0,
  channels: 'enabled',
  tag: '',
  prefers_free: true,
  run_cap: 0,
  day_cap: 0,
});

/** Returns the schedule as text, which is equal while only other settings change. */
function scheduleText(settings: Settings): string {
  return JSON.stringify({
    every_minutes: settings.scheduledTestMinutes,
    channels: settings.scheduledTestChannels,
    tag: settings.scheduledTestTag,
    prefers_free: settings.scheduledTestPrefersFree,
    run_cap: settings.scheduledTestRunCap,
    day_cap: settings.scheduledTestDayCap,
  });
}

/** Edits the interval of channel tests and shows the cost with the form's current values. */
function TestIntervalInput(props: TestIntervalInputProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const text = useDebounced(useWatch({ control: props.control, compute: scheduleText }), 300);
  const schedule = testSchedule.safeParse(JSON.parse(text)).data ?? never;
  const isOn = schedule.every_minutes > 0;
  const { data } = useQuery({ ...scheduleEstimateQuery(schedule), enabled: isOn });
  const shown = isOn ? data : undefined;
  return (
    <Box>
      <Box sx={{ maxWidth: 320 }}>
        <NumberInput {...props} unit={t('minutes')} />
      </Box>
      <Box aria-live="polite" sx={{ mt: 0.5, fontSize: '0.8125rem', color: 'text.secondary' }}>
        {shown !== undefined &&
          t('schedule.estimate', {
            count: shown.channels,
            free: shown.free,
            run: format.usd(shown.run_micro_usd / MICRO_USD),
            month: format.usd(shown.month_micro_usd / MICRO_USD),
          })}
        {shown !== undefined && shown.unpriced > 0 && ` ${t('schedule.unpriced', { count: shown.unpriced })}`}
      </Box>
    </Box>
  );
}

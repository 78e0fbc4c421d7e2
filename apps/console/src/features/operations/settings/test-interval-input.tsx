import Box from '@mui/material/Box';
import { testSchedule } from '@switchyard/contract/channels/channel-tests';
import type { Settings } from '@switchyard/contract/operations/settings';
import { useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useDebounced } from '../../../ui/browser/use-debounced.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { scheduleEstimateQuery } from '../../channels/queries.ts';

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
export function TestIntervalInput(props: TestIntervalInputProps) {
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

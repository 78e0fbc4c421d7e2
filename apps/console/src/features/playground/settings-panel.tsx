import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../ui/form/field-frame.tsx';
import type { ChatSettings } from './chat-request.ts';
import { OptionalNumber, StopInput, SwitchRow } from './setting-inputs.tsx';

const MOST_TOKENS = 10_000_000;

interface SettingsPanelProps {
  settings: ChatSettings;
  onChange: (settings: ChatSettings) => void;
}

/** What goes with every question. What is not set is not sent. */
export function SettingsPanel({ settings, onChange }: SettingsPanelProps) {
  const { t } = useTranslation('playground');
  const set = (change: Partial<ChatSettings>) => onChange({ ...settings, ...change });
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2, alignContent: 'start' }}>
      <FieldFrame label={t('system')} error={undefined}>
        {({ id }) => (
          <OutlinedInput
            id={id}
            fullWidth
            multiline
            minRows={3}
            maxRows={12}
            value={settings.system}
            placeholder={t('systemPlaceholder')}
            onChange={(event) => set({ system: event.target.value })}
          />
        )}
      </FieldFrame>
      <OptionalNumber
        label={t('temperature')}
        help={t('temperatureHelp')}
        value={settings.temperature}
        from={0}
        to={2}
        onChange={(temperature) => set({ temperature })}
      />
      <OptionalNumber
        label={t('topP')}
        help={t('topPHelp')}
        value={settings.topP}
        from={0}
        to={1}
        onChange={(topP) => set({ topP })}
      />
      <OptionalNumber
        label={t('maxTokens')}
        help={t('maxTokensHelp')}
        value={settings.maxTokens}
        from={1}
        to={MOST_TOKENS}
        whole
        onChange={(maxTokens) => set({ maxTokens })}
      />
      <StopInput value={settings.stop} onChange={(stop) => set({ stop })} />
      <Box>
        <SwitchRow label={t('jsonMode')} checked={settings.json} onChange={(json) => set({ json })} />
        <SwitchRow label={t('streaming')} checked={settings.stream} onChange={(stream) => set({ stream })} />
      </Box>
    </Box>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import OutlinedInput from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import type { ConversationSettings, OutputKind, Tool, ToolChoice } from '@switchyard/contract/playground/conversation';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { OptionalNumber, OptionalWord, StopInput, SwitchRow } from './setting-inputs.tsx';

const MOST_TOKENS = 10_000_000;
const MOST_PICTURES = 10;
/**
 * Image sizes of OpenAI's models; other models accept others:
 * https://platform.openai.com/docs/api-reference/images/create
 */
const sizes = ['auto', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'];
const qualities = ['auto', 'low', 'medium', 'high', 'standard', 'hd'];
/** Voices: https://platform.openai.com/docs/guides/text-to-speech */
const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse'];
/** Audio formats except PCM, which browsers cannot play. */
const soundFormats = ['mp3', 'opus', 'aac', 'flac', 'wav'];
const languages = ['en', 'zh', 'ja', 'ko', 'es', 'fr', 'de', 'pt', 'ru', 'ar', 'hi'];

interface PanelProps {
  settings: ConversationSettings;
  onChange: (settings: ConversationSettings) => void;
}

const panels = {
  text: TextSettings,
  pictures: PictureSettings,
  speech: SpeechSettings,
  transcript: TranscriptSettings,
};

/** Edits the parameters that are sent with every question, if they are set. */
export function SettingsPanel({ wanted, ...props }: PanelProps & { wanted: OutputKind }) {
  const Panel = panels[wanted];
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2, alignContent: 'start' }}>
      <Panel {...props} />
    </Box>
  );
}

function TextSettings({ settings, onChange }: PanelProps) {
  const { t } = useTranslation('playground');
  const set = (change: Partial<ConversationSettings>) => onChange({ ...settings, ...change });
  return (
    <>
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
      <ToolsSetting
        tools={settings.tools}
        choice={settings.toolChoice}
        onChange={(tools, toolChoice) => set({ tools, toolChoice })}
      />
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
    </>
  );
}

function PictureSettings({ settings, onChange }: PanelProps) {
  const { t } = useTranslation('playground');
  const set = (change: Partial<ConversationSettings>) => onChange({ ...settings, ...change });
  return (
    <>
      <OptionalWord
        label={t('pictureSize')}
        help={t('pictureSizeHelp')}
        options={sizes}
        value={settings.pictureSize}
        onChange={(pictureSize) => set({ pictureSize })}
      />
      <OptionalWord
        label={t('pictureQuality')}
        help={t('ownWordsHelp')}
        options={qualities}
        value={settings.pictureQuality}
        onChange={(pictureQuality) => set({ pictureQuality })}
      />
      <OptionalNumber
        label={t('pictureCount')}
        help={t('pictureCountHelp')}
        value={settings.pictureCount}
        from={1}
        to={MOST_PICTURES}
        whole
        onChange={(pictureCount) => set({ pictureCount })}
      />
    </>
  );
}

function SpeechSettings({ settings, onChange }: PanelProps) {
  const { t } = useTranslation('playground');
  const set = (change: Partial<ConversationSettings>) => onChange({ ...settings, ...change });
  return (
    <>
      <OptionalWord
        label={t('voice')}
        help={t('ownWordsHelp')}
        options={voices}
        value={settings.voice}
        onChange={(voice) => set({ voice })}
      />
      <OptionalWord
        label={t('soundFormat')}
        help={t('ownWordsHelp')}
        options={soundFormats}
        value={settings.soundFormat}
        onChange={(soundFormat) => set({ soundFormat })}
      />
      <OptionalNumber
        label={t('soundSpeed')}
        help={t('soundSpeedHelp')}
        value={settings.speed}
        from={0.25}
        to={4}
        onChange={(speed) => set({ speed })}
      />
    </>
  );
}

function TranscriptSettings({ settings, onChange }: PanelProps) {
  const { t } = useTranslation('playground');
  return (
    <OptionalWord
      label={t('recordingLanguage')}
      help={t('recordingLanguageHelp')}
      options={languages}
      value={settings.language}
      onChange={(language) => onChange({ ...settings, language })}
    />
  );
}

const ToolsDialog = lazy(() => import('./tools-dialog.tsx').then(({ ToolsDialog }) => ({ default: ToolsDialog })));

interface ToolsSettingProps {
  tools: Tool[];
  choice: ToolChoice;
  onChange: (tools: Tool[], choice: ToolChoice) => void;
}

const words = ['auto', 'none', 'required'] as const;
const NAMED = 'name:';

/** Edits the tools that the models may call, and whether they must call one. */
function ToolsSetting({ tools, choice, onChange }: ToolsSettingProps) {
  const { t } = useTranslation('playground');
  const [open, setOpen] = useState(false);
  const value = typeof choice === 'string' ? choice : NAMED + choice.name;
  const choose = (next: string) =>
    onChange(tools, words.find((word) => word === next) ?? { name: next.slice(NAMED.length) });
  return (
    <>
      <FieldFrame label={t('tools')} help={t('toolsHelp')} error={undefined}>
        {({ id }) => (
          <Button
            id={id}
            fullWidth
            variant="outlined"
            color="inherit"
            onClick={() => setOpen(true)}
            sx={{ justifyContent: 'start', overflowWrap: 'anywhere', textAlign: 'start' }}
          >
            {tools.length === 0 ? t('addTools') : tools.map(({ name }) => name).join(', ')}
          </Button>
        )}
      </FieldFrame>
      {tools.length > 0 && (
        <FieldFrame label={t('toolChoice')} error={undefined}>
          {({ id }) => (
            <Select
              fullWidth
              size="small"
              value={value}
              SelectDisplayProps={{ id }}
              inputProps={{ 'aria-label': t('toolChoice') }}
              onChange={(event) => choose(event.target.value)}
            >
              {words.map((word) => (
                <MenuItem key={word} value={word}>
                  {t(`choice.${word}`)}
                </MenuItem>
              ))}
              {tools.map(({ name }) => (
                <MenuItem key={name} value={NAMED + name}>
                  {name}
                </MenuItem>
              ))}
            </Select>
          )}
        </FieldFrame>
      )}
      <Suspense fallback={null}>
        {open && (
          <ToolsDialog
            tools={tools}
            onClose={() => setOpen(false)}
            onSave={(next) => {
              const lost = typeof choice === 'object' && !next.some(({ name }) => name === choice.name);
              onChange(next, lost ? 'auto' : choice);
              setOpen(false);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

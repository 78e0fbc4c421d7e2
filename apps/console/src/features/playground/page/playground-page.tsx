import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Paper from '@mui/material/Paper';
import type { Theme } from '@mui/material/styles';
import ToggleButton from '@mui/material/ToggleButton';
import useMediaQuery from '@mui/material/useMediaQuery';
import { COLUMNS_MAX, type ConversationSettings } from '@switchyard/contract/playground/conversation';
import { IconColumns, IconLink, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStoredPreference } from '../../../ui/browser/stored-preference.ts';
import { useSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { currentUserQuery, useCurrentUser } from '../../accounts/session/queries.ts';
import { Transcript } from '../answer/conversation-view.tsx';
import { changedSettings } from '../composer/build-requests.ts';
import { Composer } from '../composer/composer.tsx';
import { type Chat, useChat } from '../composer/use-chat.ts';
import { SaveStatusText } from '../conversations/save-status-text.tsx';
import { useStoredConversation } from '../conversations/use-stored-conversation.ts';
import { ModelPicker } from '../settings/model-picker.tsx';
import { SettingsPanel } from '../settings/settings-panel.tsx';
import { useChatSettings } from '../settings/use-chat-settings.ts';
import { type Opened, PlaygroundActions } from './playground-actions.tsx';

const SnippetsDialog = lazy(() =>
  import('../snippets/snippets-dialog.tsx').then(({ SnippetsDialog }) => ({ default: SnippetsDialog })),
);
const ConversationsDrawer = lazy(() =>
  import('../conversations/conversations-drawer.tsx').then(({ ConversationsDrawer }) => ({
    default: ConversationsDrawer,
  })),
);

/** Chats with the models as the signed-in user; no API key reaches the browser. */
export function PlaygroundPage() {
  const { t } = useTranslation('playground');
  const owner = String(useCurrentUser()?.id ?? '');
  const { settings, setSettings, nextModel, wanted } = useChatSettings(owner);
  const chat = useChat(owner, settings, wanted);
  // React key of the settings, whose fields hold entered text and must be reset by another conversation.
  const [settingsRound, setSettingsRound] = useState(0);
  const onSettings = useCallback(
    (next: ConversationSettings) => {
      setSettings(next);
      setSettingsRound((round) => round + 1);
    },
    [setSettings],
  );
  const kept = useStoredConversation({ owner, chat, settings, onSettings });
  const prompt = useSearchParams()['prompt'];
  const wide = useMediaQuery((theme: Theme) => theme.breakpoints.up('lg'));
  const [together, setTogether] = useStoredPreference('playground.scrollTogether', false, isBoolean);
  const [open, setOpen] = useState<Opened>();
  const close = () => setOpen(undefined);
  useStopOnEscape(chat);
  useFreshBalance(chat.running);
  const panel = <SettingsPanel key={settingsRound} settings={settings} wanted={wanted} onChange={setSettings} />;
  return (
    <Box sx={frame}>
      <PageHeader
        title={t('title')}
        aside={<SaveStatusText kept={kept} />}
        actions={
          <PlaygroundActions
            chat={chat}
            kept={kept}
            settings={settings}
            changed={changedSettings(settings, wanted)}
            narrow={!wide}
            onOpen={setOpen}
          />
        }
      />
      <Box sx={{ flex: 1, minHeight: 0, display: 'flex', gap: 2 }}>
        <Paper variant="outlined" sx={conversation}>
          <ColumnHeads
            models={settings.models}
            nextModel={nextModel}
            together={together}
            onTogether={setTogether}
            onChange={(models) => setSettings({ ...settings, models, for: undefined })}
          />
          <Transcript chat={chat} kept={kept} settings={settings} together={together} />
          <Box sx={{ px: { xs: 1, md: 2.5 }, pb: { xs: 1, md: 2 }, width: '100%', maxWidth: 1100, mx: 'auto' }}>
            <Composer
              key={prompt ?? ''}
              begun={prompt ?? ''}
              wanted={wanted}
              onWanted={(next) => setSettings({ ...settings, for: next })}
              running={chat.running}
              disabled={kept.opening || settings.models.some((model) => model === '')}
              onSend={chat.send}
              onStop={chat.stop}
            />
          </Box>
        </Paper>
        {wide && (
          <Paper component="aside" aria-label={t('settings')} variant="outlined" sx={side}>
            {panel}
          </Paper>
        )}
      </Box>
      <DetailDrawer open={!wide && open === 'settings'} onClose={close} title={t('settings')} width={360}>
        {panel}
      </DetailDrawer>
      <Suspense fallback={null}>
        {open === 'code' && (
          <SnippetsDialog settings={settings} wanted={wanted} turns={chat.turns} open onClose={close} />
        )}
        {open === 'conversations' && <ConversationsDrawer kept={kept} onClose={close} />}
      </Suspense>
    </Box>
  );
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** Fills the window, so that the composer stays at its end. */
const frame = {
  display: 'flex',
  flexDirection: 'column',
  flex: '1 1 0',
  minHeight: 420,
  mb: -4,
  pb: { xs: 1, md: 2 },
} as const;

const conversation = {
  flex: 1,
  minWidth: 0,
  borderRadius: 1.5,
  display: 'flex',
  flexDirection: 'column',
  overflow: 'hidden',
} as const;

const side = { width: 288, flexShrink: 0, borderRadius: 1.5, p: 2, overflowY: 'auto' } as const;

function useStopOnEscape({ running, stop }: Chat) {
  useEffect(() => {
    if (!running) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) stop();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [running, stop]);
}

/** Refetches the balance when the responses are finished. */
function useFreshBalance(running: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (running) return () => void client.invalidateQueries({ queryKey: currentUserQuery.queryKey });
    return undefined;
  }, [running, client]);
}

interface ColumnHeadsProps {
  models: readonly string[];
  onChange: (models: string[]) => void;
  /** Model of the next added column. */
  nextModel: string;
  /** True if the columns scroll together. */
  together: boolean;
  onTogether: (together: boolean) => void;
}

/** Chooses one model, or up to three for responses side by side. */
function ColumnHeads({ models, onChange, nextModel, together, onTogether }: ColumnHeadsProps) {
  const { t } = useTranslation('playground');
  const several = models.length > 1;
  const columns = models.map((model, column) => ({ model, column }));
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        alignItems: 'center',
        columnGap: { xs: 1, md: 3 },
        rowGap: 1,
        px: { xs: 1.5, md: 2.5 },
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      {columns.map(({ model, column }) => (
        <Box
          key={column}
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 0.5,
            flex: { xs: several && column > 0 ? '1 1 75%' : '1 1 60%', sm: 1 },
            minWidth: 0,
          }}
        >
          <ModelPicker
            value={model}
            label={several ? t('modelNumber', { number: column + 1 }) : t('model')}
            onChange={(next) => onChange(models.map((other, index) => (index === column ? next : other)))}
          />
          {several && (
            <IconButton
              size="small"
              aria-label={t('removeColumn', { model })}
              title={t('removeColumn', { model })}
              onClick={() => onChange(models.filter((_, index) => index !== column))}
            >
              <IconX size={16} />
            </IconButton>
          )}
        </Box>
      ))}
      {several && (
        <ToggleButton
          size="small"
          value="together"
          selected={together}
          title={t('scrollTogether')}
          aria-label={t('scrollTogether')}
          onChange={() => onTogether(!together)}
          sx={{ display: { xs: 'none', md: 'inline-flex' }, flexShrink: 0 }}
        >
          <IconLink size={16} />
        </ToggleButton>
      )}
      {models.length < COLUMNS_MAX && (
        <Button
          size="small"
          color="inherit"
          aria-label={t('compare')}
          onClick={() => onChange([...models, nextModel])}
          sx={{ flexShrink: 0, gap: 1, minWidth: 40 }}
        >
          <IconColumns size={16} />
          <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
            {t('compare')}
          </Box>
        </Button>
      )}
    </Box>
  );
}

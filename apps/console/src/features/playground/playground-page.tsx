import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { IconAdjustmentsHorizontal, IconCode, IconEraser } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DetailDrawer } from '../../ui/detail-drawer.tsx';
import { notify } from '../../ui/notices.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { topBarHeight } from '../../ui/tokens.ts';
import { selfQuery, useSelf } from '../session/queries.ts';
import { changedSettings } from './chat-request.ts';
import { ColumnHeads } from './column-heads.tsx';
import { Composer } from './composer.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { Transcript } from './transcript.tsx';
import { type Chat, useChat } from './use-chat.ts';
import { useChatSettings } from './use-chat-settings.ts';

const SnippetsDialog = lazy(() =>
  import('./snippets-dialog.tsx').then(({ SnippetsDialog }) => ({ default: SnippetsDialog })),
);

/** Chat with the models as the signed-in user; no key reaches the browser. */
export function PlaygroundPage() {
  const { t } = useTranslation('playground');
  const owner = String(useSelf()?.id ?? '');
  const { settings, setSettings, nextModel } = useChatSettings(owner);
  const chat = useChat(owner, settings);
  const wide = useMediaQuery((theme: Theme) => theme.breakpoints.up('lg'));
  const [open, setOpen] = useState<'settings' | 'code'>();
  useStopOnEscape(chat);
  useFreshBalance(chat.running);
  const panel = <SettingsPanel settings={settings} onChange={setSettings} />;
  return (
    <Box sx={frame}>
      <PageHeader
        title={t('title')}
        actions={
          <Actions
            chat={chat}
            changed={changedSettings(settings)}
            onCode={() => setOpen('code')}
            onSettings={wide ? undefined : () => setOpen('settings')}
          />
        }
      />
      <Box sx={{ flex: 1, minHeight: 0, display: 'flex', gap: 2 }}>
        <Paper variant="outlined" sx={conversation}>
          <ColumnHeads
            models={settings.models}
            nextModel={nextModel}
            onChange={(models) => setSettings({ ...settings, models })}
          />
          <Transcript chat={chat} />
          <Box
            sx={{ px: { xs: 1, md: 2.5 }, pb: { xs: 1, md: 2 }, width: '100%', maxWidth: 1100, mx: 'auto' }}
          >
            <Composer
              running={chat.running}
              disabled={settings.models.some((model) => model === '')}
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
      <DetailDrawer
        open={!wide && open === 'settings'}
        onClose={() => setOpen(undefined)}
        title={t('settings')}
        width={360}
      >
        {panel}
      </DetailDrawer>
      <Suspense fallback={null}>
        {open === 'code' && (
          <SnippetsDialog settings={settings} turns={chat.turns} open onClose={() => setOpen(undefined)} />
        )}
      </Suspense>
    </Box>
  );
}

/** From below the top bar to the end of the window, so that the composer stays where it is. */
const frame = {
  display: 'flex',
  flexDirection: 'column',
  height: { xs: `calc(100dvh - ${topBarHeight.phone + 8}px)`, md: `calc(100dvh - ${topBarHeight.wide}px)` },
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

/** Reads the balance again when what was answered is settled. */
function useFreshBalance(running: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (running) return () => void client.invalidateQueries({ queryKey: selfQuery.queryKey });
    return undefined;
  }, [running, client]);
}

interface ActionsProps {
  chat: Chat;
  /** How many settings are changed. */
  changed: number;
  onCode: () => void;
  onSettings: (() => void) | undefined;
}

function Actions({ chat, changed, onCode, onSettings }: ActionsProps) {
  const { t } = useTranslation('playground');
  const { turns, replaceTurns } = chat;
  const clear = () => {
    replaceTurns([]);
    notify('success', t('cleared'), { undo: () => replaceTurns(turns) });
  };
  const button = { variant: 'outlined', color: 'inherit', size: 'small' } as const;
  return (
    <>
      <Button {...button} startIcon={<IconEraser size={16} />} disabled={turns.length === 0} onClick={clear}>
        {t('clear')}
      </Button>
      <Button {...button} startIcon={<IconCode size={16} />} onClick={onCode}>
        {t('code')}
      </Button>
      {onSettings !== undefined && (
        <Button {...button} startIcon={<IconAdjustmentsHorizontal size={16} />} onClick={onSettings}>
          {changed === 0 ? t('settings') : t('settingsChanged', { count: changed })}
        </Button>
      )}
    </>
  );
}

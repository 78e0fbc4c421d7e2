import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ConversationSettings } from '@switchyard/contract/playground/conversation';
import { IconAdjustmentsHorizontal, IconCode, IconHistory, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { saveFile } from '../../../ui/table/csv-export.ts';
import type { Chat } from '../composer/use-chat.ts';
import { deriveTitle, toStoredTurns } from '../conversations/conversation.ts';
import { FILE_BYTES_MAX, fileName, markdownOf, readConversationFile } from '../conversations/conversation-file.ts';
import type { StoredConversationState } from '../conversations/use-stored-conversation.ts';

export type Opened = 'settings' | 'code' | 'conversations';

interface PlaygroundActionsProps {
  chat: Chat;
  kept: StoredConversationState;
  settings: ConversationSettings;
  /** Number of changed settings. */
  changed: number;
  /** True if there is no room for the settings beside the conversation. */
  narrow: boolean;
  onOpen: (what: Opened) => void;
}

export function PlaygroundActions({ chat, kept, settings, changed, narrow, onOpen }: PlaygroundActionsProps) {
  const { t } = useTranslation('playground');
  const file = useRef<HTMLInputElement>(null);
  const { turns } = chat;
  const title = kept.place.title || deriveTitle(turns) || t('untitled');
  const begin = () => notify('success', t('begun'), { undo: kept.begin() });
  const entries = [
    { label: t('keep'), checked: !kept.place.off, onSelect: () => kept.setOff(!kept.place.off) },
    {
      label: t('exportMarkdown'),
      apart: true,
      onSelect: () => saveFile(fileName(title, 'md'), markdownOf(title, turns, t('question')), 'text/markdown'),
    },
    {
      label: t('exportJson'),
      onSelect: () => {
        const content = { settings, turns: toStoredTurns(turns) };
        saveFile(fileName(title, 'json'), `${JSON.stringify(content, null, 2)}\n`, 'application/json');
      },
    },
    { label: t('import'), onSelect: () => file.current?.click() },
  ];
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const content = chosen.size > FILE_BYTES_MAX ? undefined : readConversationFile(await chosen.text());
    if (content === undefined) return notify('error', t('notAConversation'));
    kept.show(content, { title: chosen.name.replace(/\.json$/i, '').slice(0, 100), version: 0, off: false });
  };
  return (
    <>
      <HeadButton label={t('begin')} icon={<IconPlus size={16} />} disabled={turns.length === 0} onClick={begin} />
      <HeadButton label={t('conversations')} icon={<IconHistory size={16} />} onClick={() => onOpen('conversations')} />
      <HeadButton label={t('code')} icon={<IconCode size={16} />} onClick={() => onOpen('code')} />
      {narrow && (
        <HeadButton
          label={changed === 0 ? t('settings') : t('settingsChanged', { count: changed })}
          icon={<IconAdjustmentsHorizontal size={16} />}
          onClick={() => onOpen('settings')}
        />
      )}
      <MoreMenu entries={entries} />
      <input
        ref={file}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={t('import')}
        onChange={(event) => {
          void open(event.target.files?.[0]);
          // An unchanged value would fire no event when the same file is chosen again.
          event.target.value = '';
        }}
      />
    </>
  );
}

interface HeadButtonProps {
  label: string;
  icon: ReactNode;
  disabled?: boolean;
  onClick: () => void;
}

/** Renders a button of the page header; on phones it shows only the icon. */
function HeadButton({ label, icon, disabled = false, onClick }: HeadButtonProps) {
  return (
    <Button
      variant="outlined"
      color="inherit"
      size="small"
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
      sx={{ gap: 1, minWidth: 40 }}
    >
      {icon}
      <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
        {label}
      </Box>
    </Button>
  );
}

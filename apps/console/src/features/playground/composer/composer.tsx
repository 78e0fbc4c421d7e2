import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { OutputKind } from '@switchyard/contract/playground/conversation';
import {
  IconArrowUp,
  IconMessage,
  IconMicrophone,
  IconPaperclip,
  IconPhoto,
  IconPlayerStopFilled,
  IconVolume,
} from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../../../ui/browser/ime-composition.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { AttachedList } from './attachment-list.tsx';
import { type Attachment, isPicture, limitsOf, type Refusal, readAttachment } from './attachments.ts';
import type { Prompt } from './use-chat.ts';

interface ComposerProps {
  begun: string;
  wanted: OutputKind;
  onWanted: (wanted: OutputKind) => void;
  running: boolean;
  disabled: boolean;
  onSend: (prompt: Prompt) => void;
  onStop: () => void;
}

/** Edits the next question. Enter sends, Shift+Enter adds a line, files are pasted or dropped. */
export function Composer({ begun, wanted, onWanted, running, disabled, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState(begun);
  const { limits, attached, setAttached, add } = useAttach(wanted);
  const asked = wanted === 'transcript' ? attached.length > 0 : text.trim() !== '' || attached.length > 0;
  const ready = !disabled && !running && asked;
  const send = () => {
    if (!ready) return;
    const images = attached.filter(isPicture).map(({ data }) => data);
    onSend({ text: text.trim(), images, files: attached.filter((one) => !isPicture(one)) });
    setText('');
    setAttached([]);
  };
  return (
    <Box
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add([...event.dataTransfer.files]);
      }}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        bgcolor: 'background.paper',
        '&:focus-within': { borderColor: 'primary.main' },
      }}
    >
      <AttachedList
        attached={attached}
        onRemove={(removed) => setAttached(attached.filter((one) => one !== removed))}
      />
      <InputBase
        multiline
        fullWidth
        autoFocus
        maxRows={10}
        value={text}
        placeholder={t(placeholders[wanted])}
        inputProps={{ 'aria-label': t('question'), enterKeyHint: 'send' }}
        onChange={(event) => setText(event.target.value)}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0 || limits === undefined) return;
          event.preventDefault();
          void add(files);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
          event.preventDefault();
          send();
        }}
        sx={{ px: 1.5, pt: 1.25, fontSize: { xs: '1rem', md: '0.875rem' } }}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, p: 0.75 }}>
        <WantedChoice wanted={wanted} onWanted={onWanted} />
        {limits !== undefined && (
          <AttachButton
            accept={limits.accept}
            several={limits.most > 1}
            label={t(wanted === 'transcript' ? 'attachRecording' : 'attach')}
            onFiles={(files) => void add(files)}
          />
        )}
        <Box sx={{ flexGrow: 1, fontSize: '0.75rem', color: 'text.secondary' }}>
          <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
            {t(running ? 'stopHint' : 'keysHint')}
          </Box>
        </Box>
        {running ? (
          <RoundButton label={t('stop')} onClick={() => onStop()}>
            <IconPlayerStopFilled size={16} />
          </RoundButton>
        ) : (
          <RoundButton label={t('send')} onClick={send} disabled={!ready}>
            <IconArrowUp size={18} />
          </RoundButton>
        )}
      </Box>
    </Box>
  );
}

const placeholders = {
  text: 'placeholder',
  pictures: 'placeholderPictures',
  speech: 'placeholderSpeech',
  transcript: 'placeholderTranscript',
} as const;
const choices = [
  { wanted: 'text', Icon: IconMessage },
  { wanted: 'pictures', Icon: IconPhoto },
  { wanted: 'speech', Icon: IconVolume },
  { wanted: 'transcript', Icon: IconMicrophone },
] as const;

/** Chooses the kind of output: text, images, speech or a transcript. */
function WantedChoice({ wanted, onWanted }: Pick<ComposerProps, 'wanted' | 'onWanted'>) {
  const { t } = useTranslation('playground');
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={wanted}
      aria-label={t('askedFor')}
      onChange={(_, next: OutputKind | null) => next !== null && onWanted(next)}
    >
      {choices.map(({ wanted, Icon }) => (
        <ToggleButton key={wanted} value={wanted} title={t(`for.${wanted}`)} aria-label={t(`for.${wanted}`)}>
          <Icon size={16} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

interface AttachButtonProps {
  accept: string | undefined;
  several: boolean;
  label: string;
  onFiles: (files: File[]) => void;
}

function AttachButton({ accept, several, label, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={several}
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // An unchanged value would fire no event when the same file is chosen again.
          event.target.value = '';
        }}
      />
      <IconButton size="small" title={label} aria-label={label} onClick={() => input.current?.click()}>
        <IconPaperclip size={18} />
      </IconButton>
    </>
  );
}

interface RoundButtonProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function RoundButton({ label, disabled = false, onClick, children }: RoundButtonProps) {
  return (
    <IconButton
      title={label}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
      sx={{
        width: { xs: 40, md: 32 },
        height: { xs: 40, md: 32 },
        bgcolor: 'primary.main',
        color: 'primary.contrastText',
        '&:hover': { bgcolor: 'primary.dark' },
        '&.Mui-disabled': { bgcolor: 'neutral.soft' },
      }}
    >
      {children}
    </IconButton>
  );
}

/** Manages the attachments of the next question, separately for each kind of request. */
function useAttach(wanted: OutputKind) {
  const { t } = useTranslation('playground');
  const [all, setAll] = useState<Partial<Record<OutputKind, Attachment[]>>>({});
  // A ref, so that reading a file does not drop attachments that were added meanwhile.
  const latest = useRef(all);
  const limits = limitsOf[wanted];
  const setAttached = (next: Attachment[]) => {
    latest.current = { ...latest.current, [wanted]: next };
    setAll(latest.current);
  };
  const add = async (files: readonly File[]) => {
    if (limits === undefined) return;
    let refusal: Refusal | undefined;
    try {
      for (const file of files) {
        const read = await readAttachment(file, limits);
        const attached = latest.current[wanted] ?? [];
        if (typeof read === 'string') refusal ??= read;
        else if (attached.some(({ data }) => data === read.data)) continue;
        else if (attached.length >= limits.most) refusal ??= 'tooManyFiles';
        else setAttached([...attached, read]);
      }
    } catch {
      notify('error', t('unreadable'));
    }
    if (refusal !== undefined) notify('warning', t(refusal, { most: limits.most, megabytes: limits.megabytes }));
  };
  return { limits, attached: all[wanted] ?? [], setAttached, add };
}

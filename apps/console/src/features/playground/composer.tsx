import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { AskedFor } from '@switchyard/contract/conversation';
import {
  IconArrowUp,
  IconMessage,
  IconPaperclip,
  IconPhoto,
  IconPlayerStopFilled,
  IconVolume,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../ui/notices.ts';
import { readAsDataUrl } from '../../ui/read-as-data-url.ts';
import { imageTypes, MOST_IMAGE_BYTES, MOST_IMAGES, pickImages } from './attachments.ts';
import type { Prompt } from './use-chat.ts';

interface ComposerProps {
  /** What stands in it at first. */
  begun: string;
  wanted: AskedFor;
  onWanted: (wanted: AskedFor) => void;
  running: boolean;
  disabled: boolean;
  onSend: (prompt: Prompt) => void;
  onStop: () => void;
}

/** Where the next question is written. Enter sends, Shift+Enter breaks the line, pictures are pasted or dropped. */
export function Composer({ begun, wanted, onWanted, running, disabled, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState(begun);
  const [images, setImages] = useState<string[]>([]);
  const attach = useAttach(images.length, (added) =>
    setImages((current) => [...new Set([...current, ...added])]),
  );
  const sent = wanted === 'text' ? images : [];
  const ready = !disabled && !running && (text.trim() !== '' || sent.length > 0);
  const send = () => {
    if (!ready) return;
    onSend({ text: text.trim(), images: sent });
    setText('');
    setImages([]);
  };
  return (
    <Box
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (wanted === 'text') void attach([...event.dataTransfer.files]);
      }}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        bgcolor: 'background.paper',
        '&:focus-within': { borderColor: 'primary.main' },
      }}
    >
      <Attached images={sent} onRemove={(place) => setImages(images.filter((_, index) => index !== place))} />
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
          if (files.length === 0 || wanted !== 'text') return;
          event.preventDefault();
          void attach(files);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
        sx={{ px: 1.5, pt: 1.25, fontSize: { xs: '1rem', md: '0.875rem' } }}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, p: 0.75 }}>
        <WantedChoice wanted={wanted} onWanted={onWanted} />
        {wanted === 'text' && <AttachButton onFiles={(files) => void attach(files)} />}
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
} as const;
const choices = [
  { wanted: 'text', Icon: IconMessage },
  { wanted: 'pictures', Icon: IconPhoto },
  { wanted: 'speech', Icon: IconVolume },
] as const;

/** What the models are asked for. */
function WantedChoice({ wanted, onWanted }: Pick<ComposerProps, 'wanted' | 'onWanted'>) {
  const { t } = useTranslation('playground');
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={wanted}
      aria-label={t('askedFor')}
      onChange={(_, next: AskedFor | null) => next !== null && onWanted(next)}
    >
      {choices.map(({ wanted, Icon }) => (
        <ToggleButton key={wanted} value={wanted} title={t(`for.${wanted}`)} aria-label={t(`for.${wanted}`)}>
          <Icon size={16} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** Takes what fits and says why the rest does not. */
function useAttach(attached: number, onAdd: (images: string[]) => void) {
  const { t } = useTranslation('playground');
  return async (files: readonly File[]) => {
    const { accepted, refusal } = pickImages(files, attached);
    if (refusal !== undefined)
      notify('warning', t(refusal, { most: MOST_IMAGES, megabytes: MOST_IMAGE_BYTES / 1024 / 1024 }));
    try {
      onAdd(await Promise.all(accepted.map(readAsDataUrl)));
    } catch {
      notify('error', t('unreadable'));
    }
  };
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation('playground');
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={imageTypes.join(',')}
        aria-label={t('attach')}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file may be chosen again after it was removed.
          event.target.value = '';
        }}
      />
      <IconButton
        size="small"
        title={t('attach')}
        aria-label={t('attach')}
        onClick={() => input.current?.click()}
      >
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

function Attached({ images, onRemove }: { images: readonly string[]; onRemove: (place: number) => void }) {
  const { t } = useTranslation('playground');
  if (images.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, p: 1, pb: 0 }}>
      {images.map((url, place) => (
        <Box key={url} sx={{ position: 'relative', lineHeight: 0 }}>
          <Box
            component="img"
            src={url}
            alt={t('picture', { number: place + 1 })}
            sx={{
              width: 64,
              height: 64,
              objectFit: 'cover',
              borderRadius: 1,
              border: 1,
              borderColor: 'divider',
            }}
          />
          <IconButton
            size="small"
            aria-label={t('removePicture', { number: place + 1 })}
            onClick={() => onRemove(place)}
            sx={{
              position: 'absolute',
              top: -6,
              right: -6,
              p: 0.25,
              minWidth: 0,
              minHeight: 0,
              width: 20,
              height: 20,
              bgcolor: 'background.raised',
              border: 1,
              borderColor: 'divider',
              '&:hover': { bgcolor: 'neutral.soft' },
            }}
          >
            <IconX size={12} />
          </IconButton>
        </Box>
      ))}
    </Box>
  );
}

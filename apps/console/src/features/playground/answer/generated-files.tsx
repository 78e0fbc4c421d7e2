import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconDownload, IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Answer } from '../conversations/conversation.ts';

/** Shows the generated images and speech of a response, with downloads. */
export function GeneratedFiles({ answer }: { answer: Answer }) {
  const { t } = useTranslation('playground');
  const { pictures = [], sound, files = 0, model } = answer;
  const stem = model.replace(/[^\w.-]+/g, '-');
  return (
    <>
      {pictures.length > 0 && (
        <Box sx={gallery}>
          {pictures.map((address, place) => (
            <MadePicture key={address} address={address} number={place + 1} stem={stem} />
          ))}
        </Box>
      )}
      {sound !== undefined && (
        <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
          {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the question above is the spoken text */}
          <audio controls src={sound} aria-label={t('speechOf', { model })} style={{ width: '100%' }} />
          <DownloadLink address={sound} name={`${stem}.${extensionOf(sound)}`} label={t('downloadSound')} />
        </Box>
      )}
      {files > 0 && pictures.length === 0 && sound === undefined && (
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('filesGone', { count: files })}</Box>
      )}
    </>
  );
}

const gallery = {
  display: 'grid',
  gap: 1.5,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(220px, 100%), 1fr))',
} as const;

interface MadePictureProps {
  address: string;
  number: number;
  stem: string;
}

/** Shows an image, but only links to a provider's URL, whose loading would reveal the user's address. */
function MadePicture({ address, number, stem }: MadePictureProps) {
  const { t } = useTranslation('playground');
  if (!address.startsWith('data:'))
    return (
      <Button
        component="a"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        variant="outlined"
        color="inherit"
        startIcon={<IconExternalLink size={16} />}
      >
        {t('openPicture', { number, host: new URL(address).host })}
      </Button>
    );
  return (
    <Box sx={{ display: 'grid', gap: 0.5, justifyItems: 'start', alignContent: 'start' }}>
      <Box
        component="img"
        src={address}
        alt={t('picture', { number })}
        sx={{ width: '100%', borderRadius: 1, border: 1, borderColor: 'divider' }}
      />
      <DownloadLink
        address={address}
        name={`${stem}-${number}.${extensionOf(address)}`}
        label={t('downloadPicture', { number })}
      />
    </Box>
  );
}

function DownloadLink({ address, name, label }: { address: string; name: string; label: string }) {
  return (
    <Button
      component="a"
      size="small"
      color="inherit"
      startIcon={<IconDownload size={16} />}
      href={address}
      download={name}
    >
      {label}
    </Button>
  );
}

/** Returns the file extension of a data URL's media type. */
function extensionOf(address: string): string {
  const type = /^data:\w+\/([\w.+-]+)/.exec(address)?.[1] ?? 'bin';
  return type === 'mpeg' ? 'mp3' : type.replace(/^x-/, '');
}

import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import { IconFile, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type Attachment, isPicture } from './attachments.ts';

interface AttachedListProps {
  attached: readonly Attachment[];
  onRemove: (removed: Attachment) => void;
}

export function AttachedList({ attached, onRemove }: AttachedListProps) {
  const { t } = useTranslation('playground');
  if (attached.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, p: 1, pb: 0 }}>
      {attached.map((one, place) =>
        isPicture(one) ? (
          <AttachedPicture key={one.data} url={one.data} number={place + 1} onRemove={() => onRemove(one)} />
        ) : (
          <FileChip
            key={one.data}
            name={one.name}
            removal={{ label: t('removeFile', { name: one.name }), onRemove: () => onRemove(one) }}
          />
        ),
      )}
    </Box>
  );
}

interface FileChipProps {
  name: string;
  removal?: { label: string; onRemove: () => void };
}

export function FileChip({ name, removal }: FileChipProps) {
  return (
    <Chip
      size="small"
      variant="outlined"
      icon={<IconFile size={14} />}
      label={name}
      title={name}
      sx={{ maxWidth: 240 }}
      {...(removal === undefined
        ? {}
        : { onDelete: removal.onRemove, deleteIcon: <IconX size={14} role="img" aria-label={removal.label} /> })}
    />
  );
}

function AttachedPicture({ url, number, onRemove }: { url: string; number: number; onRemove: () => void }) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ position: 'relative', lineHeight: 0 }}>
      <Box
        component="img"
        src={url}
        alt={t('picture', { number })}
        sx={{ width: 64, height: 64, objectFit: 'cover', borderRadius: 1, border: 1, borderColor: 'divider' }}
      />
      <IconButton
        size="small"
        aria-label={t('removePicture', { number })}
        onClick={onRemove}
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
  );
}

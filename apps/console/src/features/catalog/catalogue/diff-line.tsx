import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import IconButton from '@mui/material/IconButton';
import type { CatalogueLine } from '@switchyard/contract/catalog/catalogue';
import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-chip.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { useChangeWords } from './change-words.ts';
import { useLock } from './queries.ts';

interface DiffLineProps {
  line: CatalogueLine;
  /** It can be approved. */
  open: boolean;
  chosen: boolean;
  onChoose: (apply: boolean) => void;
  readOnly: boolean;
}

const tones: Record<CatalogueLine['kind'], Tone> = { added: 'success', changed: 'info', gone: 'neutral' };

/** One model: what would change, field by field, and whether it shall. */
export function DiffLine({ line, open, chosen, onChoose, readOnly }: DiffLineProps) {
  const { t } = useTranslation('catalogue');
  const notifyError = useNotifyError();
  const lock = useLock();
  const { model, kind, locked, extreme } = line;
  return (
    <Box
      component="li"
      sx={{
        display: 'flex',
        alignItems: 'flex-start',
        gap: 1,
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      {!readOnly && (
        <Checkbox
          size="small"
          disabled={!open}
          checked={open && chosen}
          onChange={(_, apply) => onChoose(apply)}
          slotProps={{ input: { 'aria-label': t('select', { model }) } }}
        />
      )}
      <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center', minHeight: 34 }}>
          <Mono>{model}</Mono>
          <StatusChip tone={tones[kind]} dot={false}>
            {t(`kind.${kind}`)}
          </StatusChip>
          {extreme && (
            <StatusChip tone="error" hint={t('extremeHint')}>
              {t('extreme')}
            </StatusChip>
          )}
          {locked && (
            <StatusChip tone="neutral" dot={false}>
              {t('locked')}
            </StatusChip>
          )}
        </Box>
        <Changes line={line} />
      </Box>
      {!readOnly && (
        <IconButton
          size="small"
          loading={lock.isPending}
          aria-label={t(locked ? 'unlock' : 'lock', { model })}
          onClick={() => lock.mutate({ model, locked: !locked }, { onError: notifyError })}
        >
          {locked ? <IconLock size={18} /> : <IconLockOpen size={18} />}
        </IconButton>
      )}
    </Box>
  );
}

function Changes({ line }: { line: CatalogueLine }) {
  const words = useChangeWords();
  return (
    <Box
      component="dl"
      sx={{ m: 0, display: 'flex', flexWrap: 'wrap', columnGap: 2.5, rowGap: 0.25, fontSize: '0.8125rem' }}
    >
      {line.changes.map((change) => {
        const { label, before, after } = words(line, change);
        return (
          <Box key={change.field} sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap' }}>
            <Box component="dt" sx={{ color: 'text.secondary' }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}>
              {line.kind === 'added' ? after : line.kind === 'gone' ? before : `${before} → ${after}`}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
}

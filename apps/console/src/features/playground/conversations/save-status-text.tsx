import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import type { StoredConversationState } from './use-stored-conversation.ts';

export function SaveStatusText({ kept: { place, keeping, opening, saveNow } }: { kept: StoredConversationState }) {
  const { t } = useTranslation(['playground', 'common']);
  if (opening) return <Box sx={line}>{t('common:loading')}</Box>;
  if (keeping === 'nothing') return null;
  const trouble = keeping !== 'saving' && keeping !== 'saved' && keeping !== 'off';
  return (
    <Box sx={line}>
      {place.title !== '' && (
        <Box component="span" title={place.title} sx={name}>
          {place.title}
        </Box>
      )}
      <Box
        component="span"
        role={trouble ? 'alert' : 'status'}
        sx={{ color: trouble ? 'warning.main' : 'text.secondary' }}
      >
        {t(`keeping.${keeping}`)}
      </Box>
      {(keeping === 'failed' || keeping === 'too-many') && (
        <Button size="small" color="inherit" onClick={saveNow}>
          {t('common:retry')}
        </Button>
      )}
    </Box>
  );
}

const line = {
  display: 'flex',
  alignItems: 'center',
  flexWrap: 'wrap',
  columnGap: 1,
  minWidth: 0,
  fontSize: '0.8125rem',
  color: 'text.secondary',
} as const;

const name = {
  maxWidth: { xs: 200, md: 320 },
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  color: 'text.primary',
} as const;

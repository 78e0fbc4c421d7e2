import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { ReadingDialog } from '../../ui/reading-dialog.tsx';
import { SnippetTabs } from '../../ui/snippet-tabs.tsx';
import { useServerAddress } from '../site/queries.ts';
import { type ChatSettings, chatRequest } from './chat-request.ts';
import type { Turn } from './conversation.ts';
import { requestSnippets } from './request-snippets.ts';

interface SnippetsDialogProps {
  settings: ChatSettings;
  turns: readonly Turn[];
  open: boolean;
  onClose: () => void;
}

/** The last request, or the first one to come, as code. */
export function SnippetsDialog({ settings, turns, open, onClose }: SnippetsDialogProps) {
  const { t } = useTranslation('playground');
  const address = useServerAddress();
  const [chosen, setChosen] = useState(0);
  const column = Math.min(chosen, settings.models.length - 1);
  const example: Turn = { id: '', text: t('exampleQuestion'), images: [], answers: [] };
  const request = chatRequest(
    settings,
    settings.models[column] ?? '',
    turns.length === 0 ? [example] : turns,
    column,
  );
  return (
    <ReadingDialog open={open} onClose={onClose} title={t('codeTitle')} maxWidth="md">
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('codeText')} <Link to={paths.apiKeys}>{t('toTokens')}</Link>
      </Typography>
      {settings.models.length > 1 && (
        <Select
          size="small"
          value={column}
          onChange={(event) => setChosen(event.target.value)}
          inputProps={{ 'aria-label': t('model') }}
          sx={{ justifySelf: 'start' }}
        >
          {[...settings.models.keys()].map((index) => (
            <MenuItem key={index} value={index}>
              {settings.models[index]}
            </MenuItem>
          ))}
        </Select>
      )}
      <SnippetTabs label={t('codeTitle')} snippets={requestSnippets(address, request)} />
    </ReadingDialog>
  );
}

import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Typography from '@mui/material/Typography';
import type { ConversationSettings, OutputKind } from '@switchyard/contract/playground/conversation';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { type Snippet, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { useServerAddress } from '../../site/site/queries.ts';
import { chatRequest, imageRequest, speechRequest, transcriptRequest } from '../composer/build-requests.ts';
import { newTurn, type Turn } from '../conversations/conversation.ts';
import {
  type Dialect,
  dialects,
  pictureSnippets,
  requestSnippets,
  speechSnippets,
  transcriptSnippets,
} from './request-snippets.ts';

interface SnippetsDialogProps {
  settings: ConversationSettings;
  wanted: OutputKind;
  turns: readonly Turn[];
  open: boolean;
  onClose: () => void;
}

/** Shows the last request of the chosen kind as code, or a sample before the first one. */
export function SnippetsDialog({ settings, wanted, turns, open, onClose }: SnippetsDialogProps) {
  const { t } = useTranslation('playground');
  const address = useServerAddress();
  const [chosen, setChosen] = useState(0);
  const [dialect, setDialect] = useState<Dialect>('OpenAI');
  const column = Math.min(chosen, settings.models.length - 1);
  const model = settings.models[column] ?? '';
  const example = newTurn({ for: wanted, text: t(examples[wanted]), images: [], files: [] }, []);
  const asked = turns.filter((turn) => turn.for === wanted);
  const snippets = (): Snippet[] => {
    const { text, files } = asked.at(-1) ?? example;
    if (wanted === 'pictures') return pictureSnippets(address, imageRequest(settings, model, text));
    if (wanted === 'speech') return speechSnippets(address, speechRequest(settings, model, text));
    if (wanted === 'transcript') {
      const name = files[0]?.name ?? EXAMPLE_RECORDING;
      return transcriptSnippets(address, transcriptRequest(settings, model, asked.length === 0 ? '' : text), name);
    }
    const request = chatRequest(settings, model, asked.length === 0 ? [example] : asked, column);
    return requestSnippets(address, request, dialect);
  };
  return (
    <TextDialog open={open} onClose={onClose} title={t('codeTitle')} maxWidth="md">
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('codeText')} <Link to={paths.apiKeys}>{t('toTokens')}</Link>
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        {settings.models.length > 1 && (
          <Select
            size="small"
            value={column}
            onChange={(event) => setChosen(event.target.value)}
            inputProps={{ 'aria-label': t('model') }}
          >
            {[...settings.models.keys()].map((index) => (
              <MenuItem key={index} value={index}>
                {settings.models[index]}
              </MenuItem>
            ))}
          </Select>
        )}
        {wanted === 'text' && (
          <Select
            size="small"
            value={dialect}
            onChange={(event) => setDialect(event.target.value)}
            inputProps={{ 'aria-label': t('dialect') }}
          >
            {dialects.map((name) => (
              <MenuItem key={name} value={name}>
                {name}
              </MenuItem>
            ))}
          </Select>
        )}
      </Box>
      <SnippetTabs label={t('codeTitle')} snippets={snippets()} />
    </TextDialog>
  );
}

const EXAMPLE_RECORDING = 'recording.mp3';
const examples = {
  text: 'exampleQuestion',
  pictures: 'examplePicture',
  speech: 'exampleQuestion',
  transcript: 'exampleQuestion',
} as const;

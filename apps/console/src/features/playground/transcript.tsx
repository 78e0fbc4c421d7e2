import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { ownModelsQuery } from '../models/queries.ts';
import { useMay } from '../session/queries.ts';
import { TurnView } from './turn-view.tsx';
import type { Chat } from './use-chat.ts';
import { useStickToBottom } from './use-stick-to-bottom.ts';

/** What was said so far; its end stays in sight while an answer grows. */
export function Transcript({ chat }: { chat: Chat }) {
  const { t } = useTranslation('playground');
  const { turns, resend, retry } = chat;
  const { place, onScroll } = useStickToBottom();
  return (
    <Box
      ref={place}
      onScroll={onScroll}
      role="log"
      aria-live="off"
      aria-label={t('conversation')}
      tabIndex={0}
      sx={scroll}
    >
      {turns.length === 0 ? (
        <Nothing />
      ) : (
        <Box
          sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 4, maxWidth: 1100, mx: 'auto' }}
        >
          {turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              last={index === turns.length - 1}
              onResend={resend}
              onRetry={retry}
            />
          ))}
        </Box>
      )}
    </Box>
  );
}

const scroll = {
  flex: 1,
  minHeight: 0,
  overflowY: 'auto',
  px: { xs: 1.5, md: 2.5 },
  py: 2.5,
  outline: 'none',
} as const;

/** The next step: a question, or a channel where there is nobody to ask. */
function Nothing() {
  const { t } = useTranslation('playground');
  const mayAddChannels = useMay('channels.write');
  const models = useQuery(ownModelsQuery).data;
  const nobody = models?.length === 0;
  return (
    <Box sx={{ display: 'grid', placeContent: 'center', minHeight: '100%' }}>
      {nobody ? (
        <EmptyState
          action={
            mayAddChannels && (
              <LinkButton to={paths.channels} variant="contained">
                {t('addChannel')}
              </LinkButton>
            )
          }
        >
          {t(mayAddChannels ? 'noModelsAdmin' : 'noModels')}
        </EmptyState>
      ) : (
        <EmptyState>{t('empty')}</EmptyState>
      )}
    </Box>
  );
}

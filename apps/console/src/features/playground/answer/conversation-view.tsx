import Box from '@mui/material/Box';
import type { ConversationSettings } from '@switchyard/contract/playground/conversation';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { ownModelsQuery } from '../../catalog/models/queries.ts';
import type { Chat } from '../composer/use-chat.ts';
import { deriveTitle, nextTitle, stopRunning } from '../conversations/conversation.ts';
import type { StoredConversationState } from '../conversations/use-stored-conversation.ts';
import { TurnView } from './turn-view.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

interface TranscriptProps {
  chat: Chat;
  kept: StoredConversationState;
  settings: ConversationSettings;
  /** True if the columns scroll together. */
  together: boolean;
}

/** Shows the conversation; its end stays visible while a response grows. */
export function Transcript({ chat, kept, settings, together }: TranscriptProps) {
  const { t } = useTranslation('playground');
  const { turns, resend, retry, giveResults, choose, stop } = chat;
  const { place, onScroll } = useStickToBottom();
  const latest = useRef({ turns, settings, kept });
  useEffect(() => {
    latest.current = { turns, settings, kept };
  });
  const onBranch = useCallback(
    (turnId: string) => {
      const { turns, settings, kept } = latest.current;
      const branch = turns.slice(0, turns.findIndex(({ id }) => id === turnId) + 1);
      const { title, off } = kept.place;
      kept.show(
        { settings, turns: stopRunning(branch) },
        { title: nextTitle(title || deriveTitle(branch) || t('untitled')), version: 0, off },
      );
    },
    [t],
  );
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
        // The conversation that is loading replaces these turns, and with them what the user would do here.
        <Box inert={kept.opening} sx={turnList}>
          {turns.map((turn, index) => (
            <TurnView
              key={turn.id}
              turn={turn}
              last={index === turns.length - 1}
              together={together}
              resend={resend}
              retry={retry}
              giveResults={giveResults}
              choose={choose}
              stop={stop}
              onBranch={onBranch}
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

const turnList = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 4,
  maxWidth: 1100,
  mx: 'auto',
} as const;

/** Shows the next step: a question, or adding a channel when there are no models. */
function Nothing() {
  const { t } = useTranslation('playground');
  const mayAddChannels = useHasAccess('channels.write');
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

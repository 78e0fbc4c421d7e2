import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { Quote } from '@switchyard/contract/playground/quote';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { topBarHeight } from '../../../ui/theme/tokens.ts';
import { QuoteAnswer } from './quote-answer.tsx';

interface QuotePanelProps {
  answer: Quote | undefined;
  error: Error | null;
  checking: boolean;
  /** The form is not as it was when this was answered. */
  isOutdated: boolean;
  onRetry: () => void;
}

/** The place of the answer: what it will hold, that it comes, why it does not, or the answer. */
export function QuotePanel({ answer, error, checking, isOutdated, onRetry }: QuotePanelProps) {
  const { t } = useTranslation('quote');
  const place = useRef<HTMLDivElement>(null);
  const isThere = answer !== undefined || error !== null;
  // On a phone the answer begins below the screen.
  useEffect(() => {
    if (isThere && !checking) place.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isThere, checking]);
  return (
    <Box
      ref={place}
      aria-live="polite"
      aria-busy={checking}
      sx={{ scrollMarginTop: topBarHeight.phone + 16, scrollMarginBottom: 16 }}
    >
      {error === null ? (
        <SectionCard title={t('answer')}>
          {answer !== undefined && isOutdated && (
            <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
              {t('outdated')}
            </Typography>
          )}
          {answer !== undefined && <QuoteAnswer answer={answer} />}
          {answer === undefined && checking && <Skeleton variant="rounded" height={240} />}
          {answer === undefined && !checking && <EmptyState>{t('empty')}</EmptyState>}
        </SectionCard>
      ) : (
        <ErrorPanel error={error} onRetry={onRetry} />
      )}
    </Box>
  );
}

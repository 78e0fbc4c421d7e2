import Box from '@mui/material/Box';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../ui/mono.tsx';
import { useFormat } from '../../ui/use-format.ts';
import type { Answer } from './conversation.ts';
import { answerCostQuery } from './queries.ts';

/** Which of several answers cost least, and which came first. Nothing while one of them is not known. */
export function TurnSummary({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const done = answers.filter(({ state }) => state === 'done');
  const rounds = done.map((answer) => [...answer.rounds, answer]);
  const costs = useQueries({
    queries: rounds.flat().map(({ requestId = '' }) => answerCostQuery(requestId)),
  });
  if (done.length < 2 || costs.some(({ data }) => data == null)) return null;
  let at = 0;
  const totals = done.map(({ model }, index) => {
    const parts = rounds[index] ?? [];
    const points = costs.slice(at, at + parts.length).reduce((sum, { data }) => sum + (data?.quota ?? 0), 0);
    at += parts.length;
    return { model, points, ms: parts.reduce((sum, { totalMs = 0 }) => sum + totalMs, 0) };
  });
  const cheapest = totals.toSorted((a, b) => a.points - b.points)[0];
  const fastest = totals.toSorted((a, b) => a.ms - b.ms)[0];
  if (cheapest === undefined || fastest === undefined) return null;
  return (
    <Box role="note" aria-label={t('comparison')} sx={row}>
      <span>
        {t('cheapest')} <Mono>{cheapest.model}</Mono> {format.points(cheapest.points)}
      </span>
      <span>
        {t('fastest')} <Mono>{fastest.model}</Mono> {format.duration(fastest.ms)}
      </span>
    </Box>
  );
}

const row = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 3,
  rowGap: 0.5,
  pt: 1,
  borderTop: 1,
  borderColor: 'divider',
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;

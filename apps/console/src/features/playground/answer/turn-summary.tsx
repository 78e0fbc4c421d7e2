import Box from '@mui/material/Box';
import type { Said } from '@switchyard/contract/playground/conversation';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import type { Answer } from '../conversations/conversation.ts';
import { answerCostQuery } from '../page/queries.ts';

/** Shows which of several responses was the cheapest and which the first; renders nothing while one is unknown. */
export function TurnSummary({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const done = answers.filter(({ state }) => state === 'done');
  const requests = done.flatMap((answer) => roundsOf(answer).map(({ requestId = '' }) => requestId));
  const costs = useQueries({ queries: requests.map(answerCostQuery) });
  if (done.length < 2 || costs.some(({ data }) => data == null)) return null;
  const points = new Map(requests.map((requestId, index) => [requestId, costs[index]?.data?.quota ?? 0]));
  const totals = done.map((answer) => ({
    model: answer.model,
    points: sumOf(roundsOf(answer), ({ requestId = '' }) => points.get(requestId) ?? 0),
    ms: sumOf(roundsOf(answer), ({ totalMs = 0 }) => totalMs),
  }));
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

const roundsOf = (answer: Answer): Said[] => [...answer.rounds, answer];

function sumOf(rounds: readonly Said[], of: (said: Said) => number): number {
  return rounds.reduce((sum, said) => sum + of(said), 0);
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

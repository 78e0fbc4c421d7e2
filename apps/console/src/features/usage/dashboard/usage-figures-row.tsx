import Box from '@mui/material/Box';
import type { Dashboard, Figures } from '@switchyard/contract/usage/dashboard';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { KeyFigure, relativeChange } from '../../../ui/charts/key-figure-and-change.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { dailySums, errorShare, measures, tokensOf } from './daily-usage.ts';

interface FiguresRowProps {
  data: Dashboard;
  dates: readonly string[];
  /** Filter of the usage records for the same calls. */
  search: Record<string, string>;
}

/** Shows the figures of the period with links to their usage records; the margin only to administrators. */
export function FiguresRow({ data, dates, search }: FiguresRowProps) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const { current, before, days } = data;
  const change = (of: (figures: Figures) => number | undefined) => relativeChange(of(current), of(before));
  const trend = (measure: keyof typeof measures) => dailySums(days, dates, measures[measure]);
  const timed = (figures: Figures) => (figures.requests === 0 ? undefined : figures.request_time);
  const share = errorShare(current);
  return (
    <Box sx={row}>
      <KeyFigure
        label={t('spend')}
        value={format.points(current.quota)}
        change={change(({ quota }) => quota)}
        trend={trend('spend')}
        to={paths.usageRecords}
        search={{ ...search, order: '-quota' }}
      />
      <KeyFigure
        label={t('requests')}
        value={format.compact(current.requests)}
        change={change(({ requests }) => requests)}
        trend={trend('requests')}
        to={paths.usageRecords}
        search={{ ...search, log_type: 'consume' }}
      />
      <KeyFigure
        label={t('tokens')}
        value={format.compact(tokensOf(current))}
        change={change(tokensOf)}
        trend={trend('tokens')}
        to={paths.usageRecords}
        search={{ ...search, log_type: 'consume' }}
      />
      <KeyFigure
        label={t('meanTime')}
        value={format.duration(timed(current))}
        change={change(timed)}
        moreIsWorse
        to={paths.usageRecords}
        search={{ ...search, order: '-request_time' }}
      />
      <KeyFigure
        label={t('errorShare')}
        value={share === undefined ? UNKNOWN : format.percent(share, share < 0.1 ? 1 : 0)}
        change={change(errorShare)}
        moreIsWorse
        to={paths.usageRecords}
        search={{ ...search, log_type: 'error' }}
      />
      {current.margin !== null && current.margin.charged + current.margin.cost > 0 && (
        <KeyFigure
          label={t('margin')}
          value={format.points(marginOf(current))}
          change={change(marginOf)}
          moreIsWorse={false}
          note={t('marginOf', { charged: format.points(current.margin.charged) })}
        />
      )}
    </Box>
  );
}

/** Returns the margin of the calls whose cost is known, in points; undefined without the permission. */
function marginOf({ margin }: Figures): number | undefined {
  return margin === null ? undefined : margin.charged - margin.cost;
}

export const row = {
  display: 'grid',
  gap: { xs: 1.5, md: 2 },
  gridTemplateColumns: {
    xs: 'repeat(2, minmax(0, 1fr))',
    md: 'repeat(3, minmax(0, 1fr))',
    lg: 'repeat(auto-fit, minmax(170px, 1fr))',
  },
  '& > :nth-of-type(5):last-of-type': { gridColumn: { xs: 'span 2', md: 'auto' } },
} as const;

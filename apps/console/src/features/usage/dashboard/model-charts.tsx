import Box from '@mui/material/Box';
import type { Dashboard } from '@switchyard/contract/usage/dashboard';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { Chart } from '../../../ui/charts/lazy-time-chart.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { measures, seriesByModel } from './daily-usage.ts';
import type { Scope } from './queries.ts';

interface ModelChartsProps {
  data: Dashboard;
  dates: readonly string[];
  scope: Scope;
}

/** Charts spending and requests by day and model. */
export function ModelCharts({ data, dates, scope }: ModelChartsProps) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const language = useLanguage();
  const dayFormat = new Intl.DateTimeFormat(languageTags[language], {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const labels = dates.map((date) => dayFormat.format(new Date(date)));
  const spend = t(scope === 'mine' ? 'spendQuestionMine' : 'spendQuestion');
  const requests = t(scope === 'mine' ? 'requestsQuestionMine' : 'requestsQuestion');
  return (
    <Box
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' } }}
    >
      <SectionCard title={spend}>
        <Chart
          kind="bar"
          label={spend}
          labels={labels}
          series={seriesByModel(data.days, dates, measures.spend)}
          format={format.points}
        />
      </SectionCard>
      <SectionCard title={requests}>
        <Chart
          kind="bar"
          label={requests}
          labels={labels}
          series={seriesByModel(data.days, dates, measures.requests)}
          format={format.compact}
        />
      </SectionCard>
    </Box>
  );
}

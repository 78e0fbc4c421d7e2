import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { Analysis, Measure } from '@switchyard/contract/usage/analytics';
import { useTranslation } from 'react-i18next';
import { Change } from '../../../ui/charts/change.tsx';
import { Chart } from '../../../ui/charts/chart.tsx';
import { relativeChange } from '../../../ui/charts/relative-change.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import type { Question } from './queries.ts';
import { usualMeasure } from './question.ts';
import { isMoreWorse, useMeasures } from './use-measures.ts';
import { useStepLabels } from './use-step-labels.ts';
import { useValueName } from './use-value-name.ts';

interface AnalysisChartProps {
  question: Question;
  analysis: Analysis;
}

/** The measure over time, of the largest values and in all; dashed: the time before. */
export function AnalysisChart({ question, analysis }: AnalysisChartProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const measures = useMeasures();
  const nameOf = useValueName();
  const labels = useStepLabels(question, analysis.steps);
  const { measure = usualMeasure, split } = question;
  const { total } = analysis;
  const lines =
    split === undefined
      ? [{ name: t('total'), values: analysis.total_line }]
      : analysis.lines.map((values, at) => {
          const row = analysis.rows[at];
          return { name: row === undefined ? '' : nameOf(split, row), values };
        });
  const others =
    analysis.others_line === null
      ? undefined
      : { name: t('common:chart.other'), values: analysis.others_line };
  const change = relativeChange(total.current[measure] ?? undefined, total.before[measure] ?? undefined);
  return (
    <SectionCard
      title={
        <Box component="span" sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: 1 }}>
          {t(`measure.${measure}`)}
          <Box component="span" sx={{ fontSize: '1.25rem', fontVariantNumeric: 'tabular-nums' }}>
            {measures.of(measure, total.current)}
          </Box>
          <Change change={change} moreIsWorse={isMoreWorse(measure)} />
          <Note analysis={analysis} measure={measure} />
        </Box>
      }
    >
      {analysis.complete_until !== null && <Incomplete until={analysis.complete_until} />}
      <Chart
        kind="line"
        label={t(`measure.${measure}`)}
        labels={labels}
        series={lines}
        others={others}
        before={{ name: t('before'), values: analysis.total_line_before }}
        format={measures.short(measure)}
        height={280}
      />
    </SectionCard>
  );
}

/** Explains the basis of a figure that does not cover all calls or is not exact. */
function Note({ analysis, measure }: { analysis: Analysis; measure: Measure }) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  const { charged, costed } = analysis.total.current;
  const ofCost = measure === 'cost' || measure === 'margin';
  const text = measure.includes('_time_')
    ? t('approximate')
    : ofCost && charged > 0
      ? t('costShare', { share: format.percent(costed / charged) })
      : undefined;
  if (text === undefined) return null;
  return (
    <Box component="span" sx={{ typography: 'caption', color: 'text.secondary' }}>
      {text}
    </Box>
  );
}

function Incomplete({ until }: { until: number }) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  return (
    <Alert severity="info" sx={{ mb: 2 }}>
      {t('incomplete', { moment: format.moment(until) })}
    </Alert>
  );
}

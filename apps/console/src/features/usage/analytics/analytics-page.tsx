import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import {
  type Analysis,
  type Dimension,
  dimensions,
  type Measure,
  measures,
} from '@switchyard/contract/usage/analytics';
import { IconBookmark, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/file-buttons.tsx';
import { RelativeChange, relativeChange } from '../../../ui/charts/key-figure-and-change.tsx';
import { Chart } from '../../../ui/charts/lazy-time-chart.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParams, useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { MoreFilters } from '../../../ui/filters/text-filters.tsx';
import { TimeChip } from '../../../ui/filters/time-filter-chip.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { type Option, toOptions } from '../../../ui/inputs/select-options.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import {
  defaultMeasure,
  defaultSplit,
  type FilterName,
  filterNames,
  NO_SPLIT,
  questionOf,
  stepsFor,
  textOf,
  timeOf,
  tops,
  valuesOf,
} from './analysis-search-params.ts';
import { AnalysisTable } from './analysis-table.tsx';
import { isMoreWorse, useMeasures, useStepLabels, useValueName } from './analysis-value-formats.ts';
import { StatisticsRow } from './installation-statistics-row.tsx';
import { MultiValueFilterChip } from './multi-value-filter-chip.tsx';
import { analysisQuery, exportUrl, type Question } from './queries.ts';
import { SavedViewsDialog } from './saved-views-dialog.tsx';

/** Answers questions about usage; the URL contains the whole question. */
export function AnalyticsPage() {
  const { t } = useTranslation('analytics');
  const search = useSearchParams();
  const { order: _order, page: _page, size: _size, ...asked } = search;
  const asking = questionOf(asked);
  const { split, measure = defaultMeasure } = asking;
  const list = useListState(filterNames, split === undefined ? '-name' : `-${measure}`);
  const [viewsOpen, setViewsOpen] = useState(false);
  const query = useQuery(analysisQuery(asked, () => questionOf(asked)));
  const { data, error, refetch } = query;
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<IconBookmark size={18} />}
              onClick={() => setViewsOpen(true)}
            >
              {t('views')}
            </Button>
            <ExportLink href={exportUrl(data?.question ?? asking)} />
          </>
        }
      />
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <StatisticsRow />
        <AnalyticsFilters list={list} named={data?.analysis.filtered ?? {}} />
        <QuestionPickers />
        {data === undefined ? (
          <PendingPanel error={error} refetch={refetch} height={480} />
        ) : (
          <>
            <AnalysisChart {...data} />
            <AnalysisTable {...data} list={list} query={query} />
          </>
        )}
      </Box>
      <SavedViewsDialog open={viewsOpen} onClose={() => setViewsOpen(false)} />
    </>
  );
}

interface AnalyticsFiltersProps {
  list: ListState<FilterName>;
  /** Names of the filtered values. */
  named: Analysis['filtered'];
}

/** Renders the filters: the time always, a dimension when it is filtered or was added. */
function AnalyticsFilters({ list, named }: AnalyticsFiltersProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const [added, setAdded] = useState<Dimension>();
  const { filters } = list;
  const shown = dimensions.filter((name) => filters[name] !== undefined || name === added);
  const others = dimensions.filter((name) => !shown.includes(name));
  return (
    <Box role="search" sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <TimeChip value={timeOf(filters)} />
      {shown.map((name) => (
        <MultiValueFilterChip
          key={name}
          dimension={name}
          values={valuesOf(filters[name])}
          named={named[name] ?? []}
          startOpen={name === added && filters[name] === undefined}
          onChange={(values) => {
            setAdded(values.length === 0 ? undefined : name);
            list.setFilter(name, textOf(values));
          }}
          onAbandon={() => setAdded(undefined)}
        />
      ))}
      <MoreFilters names={others} labelOf={(name) => t(`dimension.${name}`)} onAdd={setAdded} />
      {list.narrowed && (
        <Button size="small" color="inherit" startIcon={<IconX size={16} />} onClick={list.clear}>
          {t('common:filter.clear')}
        </Button>
      )}
    </Box>
  );
}

/** Chooses the measure, the dimension, the time step and the number of rows. */
function QuestionPickers() {
  const { t } = useTranslation('analytics');
  const search = useSearchParams();
  const set = useSetSearchParams();
  const question = questionOf(search);
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(4, minmax(0, 220px))' },
      }}
    >
      <Picker
        label={t('measureLabel')}
        value={question.measure ?? defaultMeasure}
        options={toOptions(measures, (value) => t(`measure.${value}`))}
        onChange={(value) =>
          set({ measure: value === defaultMeasure ? undefined : value, order: undefined, page: undefined })
        }
      />
      <Picker
        label={t('splitBy')}
        value={question.split ?? NO_SPLIT}
        options={[
          ...toOptions(dimensions, (value) => t(`dimension.${value}`)),
          { value: NO_SPLIT, label: t('noSplit') },
        ]}
        onChange={(value) =>
          set({ split: value === defaultSplit ? undefined : value, order: undefined, page: undefined })
        }
      />
      <Picker
        label={t('step')}
        value={question.step ?? 'day'}
        options={toOptions(stepsFor(question), (value) => t(`stepName.${value}`))}
        onChange={(value) => set({ step: value })}
      />
      <Picker
        label={t('rows')}
        value={String(question.top)}
        options={tops.map((top) => ({ value: String(top), label: t('topName', { count: top }) }))}
        onChange={(value) => set({ top: value === '10' ? undefined : value })}
      />
    </Box>
  );
}

interface PickerProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

function Picker({ label, value, options, onChange }: PickerProps) {
  return (
    <TextField select size="small" label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}

interface AnalysisChartProps {
  question: Question;
  analysis: Analysis;
}

/** Shows the measure over time for the largest values and in total; dashed for the previous period. */
function AnalysisChart({ question, analysis }: AnalysisChartProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const measures = useMeasures();
  const nameOf = useValueName();
  const labels = useStepLabels(question, analysis.steps);
  const { measure = defaultMeasure, split } = question;
  const { total } = analysis;
  const lines =
    split === undefined
      ? [{ name: t('total'), values: analysis.total_line }]
      : analysis.lines.map((values, at) => {
          const row = analysis.rows[at];
          return { name: row === undefined ? '' : nameOf(split, row), values };
        });
  const others =
    analysis.others_line === null ? undefined : { name: t('common:chart.other'), values: analysis.others_line };
  const change = relativeChange(total.current[measure] ?? undefined, total.before[measure] ?? undefined);
  return (
    <SectionCard
      title={
        <Box component="span" sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: 1 }}>
          {t(`measure.${measure}`)}
          <Box component="span" sx={{ fontSize: '1.25rem', fontVariantNumeric: 'tabular-nums' }}>
            {measures.of(measure, total.current)}
          </Box>
          <RelativeChange change={change} moreIsWorse={isMoreWorse(measure)} />
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

/** Explains a figure that does not cover all calls or is approximate. */
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

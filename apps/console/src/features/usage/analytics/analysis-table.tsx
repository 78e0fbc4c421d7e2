import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import {
  type Analysis,
  type CallFigures,
  type Dimension,
  type Measure,
  measures,
} from '@switchyard/contract/usage/analytics';
import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { relativeChange } from '../../../ui/charts/key-figure-and-change.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Link, LinkButton } from '../../../ui/display/link.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { localQuery } from '../../../ui/table/client-side-paging.ts';
import { DataTable } from '../../../ui/table/data-table.tsx';
import { type Columns, columnsFor, type ListQuery } from '../../../ui/table/table-columns-and-props.ts';
import type { ListView } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { defaultMeasure, logSearch } from './analysis-search-params.ts';
import { isMoreWorse, useMeasures, useStepLabels, useValueName } from './analysis-value-formats.ts';
import type { Question } from './queries.ts';

interface AnalysisTableProps {
  question: Question;
  analysis: Analysis;
  list: ListView;
  /** Query that loads the analysis. */
  query: Omit<ListQuery<AnalysisRow>, 'data'>;
}

const sortValues = {
  name: ({ place }: AnalysisRow) => place,
  ...Object.fromEntries(measures.map((name) => [name, ({ current }: AnalysisRow) => current[name]])),
};

/** Shows the figures by value or step; a row opens its usage records. */
export function AnalysisTable({ question, analysis, list, query }: AnalysisTableProps) {
  const { t } = useTranslation('analytics');
  const format = useMeasures();
  const { percentChange } = useFormat();
  const navigate = useNavigate();
  const nameOf = useValueName();
  const labels = useStepLabels(question, analysis.steps);
  const seesRecords = useHasAccess('records.read');
  const drawers = useDrawers();
  const { split, measure = defaultMeasure } = question;
  const columns = useMemo(
    () => analysisColumns({ t, measure, split, format, percentChange, drawers }),
    [t, measure, split, format, percentChange, drawers],
  );
  const rows = rowsOf(question, analysis, (row) => (split === undefined ? '' : nameOf(split, row)), labels);
  const isEmpty = analysis.total.current.requests + analysis.total.current.errors === 0;
  const change = (row: AnalysisRow) => changeOf(measure, row) ?? null;
  const open = ({ log }: AnalysisRow) => {
    if (log !== undefined) void navigate({ to: paths.usageRecords, search: log });
  };
  const canOpen = seesRecords && rows.some(({ log }) => log !== undefined);
  return (
    <DataTable
      // Each measure and dimension has other columns, whose settings are stored by this name.
      name={`analytics-${split ?? 'time'}-${measure}`}
      label={t('title')}
      columns={columns}
      list={list}
      query={localQuery(isEmpty ? [] : rows, list, { ...sortValues, change }, query)}
      rowId={({ id }) => id}
      {...(canOpen ? { onOpen: open } : {})}
      filterBar={
        <Typography variant="h3" component="h2">
          {split === undefined ? t('byTime') : t(`by.${split}`)}
        </Typography>
      }
      totals={<Sums analysis={analysis} measure={measure} />}
      empty={
        <EmptyState
          action={
            <LinkButton to={paths.analytics} search={{ time: '90d' }} variant="contained">
              {t('longer')}
            </LinkButton>
          }
        >
          {t('nothing')}
        </EmptyState>
      }
    />
  );
}

/** Returns the dimensions whose values the signed-in user may open. */
function useDrawers(): readonly Dimension[] {
  const [users, channels] = [useHasAccess('users.read'), useHasAccess('channels.read')];
  return useMemo(
    () => [...(users ? (['user'] as const) : []), ...(channels ? (['channel'] as const) : [])],
    [users, channels],
  );
}

/** Shows the totals of all rows and of the values that have no row. */
function Sums({ analysis: { total, others }, measure }: { analysis: Analysis; measure: Measure }) {
  const { t } = useTranslation('analytics');
  return (
    <Box component="span" sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2 }}>
      {others !== null && (
        <Sum label={t('others', { count: others.values })} figures={others.current} measure={measure} />
      )}
      <Sum label={t('total')} figures={total.current} measure={measure} />
    </Box>
  );
}

function Sum({ label, figures, measure }: { label: string; figures: CallFigures; measure: Measure }) {
  const { t } = useTranslation('analytics');
  const format = useMeasures();
  const shown: readonly Measure[] = [...new Set<Measure>([measure, 'charged', 'margin', 'requests', 'errors'])];
  return (
    <span>
      <Box component="span" sx={{ fontWeight: 600, mr: 1 }}>
        {label}
      </Box>
      {shown.map((name) => (
        <Box component="span" key={name} sx={{ mr: 1.5 }}>
          <Box component="span" sx={{ color: 'text.secondary', mr: 0.5 }}>
            {t(`measure.${name}`)}
          </Box>
          {format.of(name, figures)}
        </Box>
      ))}
    </span>
  );
}

/** Columns that are always visible. The selected measure comes first; the others are optional. */
const usual: ReadonlySet<Measure> = new Set([
  'charged',
  'margin',
  'requests',
  'error_rate',
  'prompt_tokens',
  'completion_tokens',
  'request_time_p95',
]);

interface ColumnsInput {
  t: TFunction<'analytics'>;
  measure: Measure;
  split: Dimension | undefined;
  format: ReturnType<typeof useMeasures>;
  percentChange: (change: number) => string;
  /** Dimensions whose values link to a drawer. */
  drawers: readonly Dimension[];
}

const column = columnsFor<AnalysisRow>();

function analysisColumns({ t, measure, split, format, percentChange, drawers }: ColumnsInput): Columns<AnalysisRow> {
  const heading = split === undefined ? t('time') : t(`dimension.${split}`);
  const figure = (name: Measure) =>
    column.computed(name, t(`measure.${name}`), ({ current }) => current[name], {
      size: 150,
      sortable: true,
      align: 'end',
      ...(name === measure || name === 'requests' ? { card: 'figure' as const } : {}),
      hidden: name !== measure && !usual.has(name),
      cell: (_, row) => format.of(name, row.current),
    });
  const change = column.computed('change', t('change'), (row) => changeOf(measure, row) ?? null, {
    size: 120,
    sortable: true,
    align: 'end',
    cell: (value) => <ChangeCell measure={measure} change={value} percentChange={percentChange} />,
  });
  const name = column.computed('name', heading, ({ place }) => place, {
    size: 240,
    sortable: true,
    card: 'title',
    cell: (_, row) => <NameCell row={row} split={split} drawers={drawers} />,
  });
  const others = measures.filter((other) => other !== measure).map(figure);
  return [name, figure(measure), ...(split === undefined ? [] : [change]), ...others];
}

/** Links a channel or a user to its drawer. */
function NameCell({
  row,
  split,
  drawers,
}: {
  row: AnalysisRow;
  split: Dimension | undefined;
  drawers: readonly Dimension[];
}) {
  const { key, name } = row;
  if (split === undefined || key === undefined || key === '0' || !drawers.includes(split)) return <Name>{name}</Name>;
  return (
    <Link to={split === 'user' ? paths.users : paths.channels} search={{ open: key }}>
      <Name>{name}</Name>
    </Link>
  );
}

function ChangeCell({
  measure,
  change,
  percentChange,
}: {
  measure: Measure;
  change: number | null;
  percentChange: ColumnsInput['percentChange'];
}) {
  if (change === null) return UNKNOWN;
  const worse = isMoreWorse(measure);
  const bad = change !== 0 && worse !== undefined && change > 0 === worse;
  return (
    <Typography component="span" variant="inherit" sx={{ color: bad ? 'warning.main' : 'inherit' }}>
      {percentChange(change)}
    </Typography>
  );
}

/** Rows of the analytics table: values, or time steps without a split. */

interface AnalysisRow {
  id: string;
  name: string;
  /** Sort key: the time of a step or the name of a value. */
  place: string | number;
  current: CallFigures;
  /** Figures of the previous period; null for a step, which the chart compares. */
  before: CallFigures | null;
  /** Filter of the usage records for the row's calls; undefined if there is none. */
  log: Record<string, string> | undefined;
  /** Key of the value; undefined for a step. */
  key: string | undefined;
}

function rowsOf(
  question: Question,
  { rows, steps, by_step }: Analysis,
  nameOf: (row: Analysis['rows'][number]) => string,
  labels: readonly string[],
): AnalysisRow[] {
  const { split } = question;
  if (split !== undefined)
    return rows.map((row) => ({
      id: `=${row.key}`,
      name: nameOf(row),
      place: nameOf(row),
      current: row.current,
      before: row.before,
      log: logSearch(question, { dimension: split, key: row.key }),
      key: row.key,
    }));
  return by_step.map((current, at) => {
    const start = steps[at] ?? 0;
    const end = (steps[at + 1] ?? question.end_timestamp + 1) - 1;
    return {
      id: String(start),
      name: labels[at] ?? '',
      place: start,
      current,
      before: null,
      log: logSearch({ ...question, start_timestamp: start, end_timestamp: end }),
      key: undefined,
    };
  });
}

function changeOf(measure: Measure, { current, before }: Pick<AnalysisRow, 'current' | 'before'>) {
  return relativeChange(current[measure] ?? undefined, before?.[measure] ?? undefined);
}

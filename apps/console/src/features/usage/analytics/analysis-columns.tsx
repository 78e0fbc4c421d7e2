import Typography from '@mui/material/Typography';
import { type Dimension, type Measure, measures } from '@switchyard/contract/usage/analytics';
import type { TFunction } from 'i18next';
import { paths } from '../../../paths.ts';
import { Link } from '../../../ui/display/link.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { type Columns, columnsFor } from '../../../ui/table/table-features.ts';
import { type AnalysisRow, changeOf } from './analysis-rows.ts';
import { isMoreWorse, type useMeasures } from './use-measures.ts';

/** Always in sight; the measure that was asked for comes first, the others can be chosen. */
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
  percent: (share: number | null | undefined) => string;
  /** Dimensions whose drawers may be opened. */
  drawers: readonly Dimension[];
}

const helper = columnsFor<AnalysisRow>();

export function analysisColumns({
  t,
  measure,
  split,
  format,
  percent,
  drawers,
}: ColumnsInput): Columns<AnalysisRow> {
  const heading = split === undefined ? t('time') : t(`dimension.${split}`);
  const figure = (name: Measure) =>
    helper.accessor(({ current }) => current[name], {
      id: name,
      header: t(`measure.${name}`),
      size: 150,
      enableSorting: true,
      cell: ({ row: { original } }) => format.of(name, original.current),
      meta: {
        label: t(`measure.${name}`),
        align: 'end',
        ...(name === measure || name === 'requests' ? { card: 'figure' as const } : {}),
        hidden: name !== measure && !usual.has(name),
      },
    });
  const change = helper.accessor((row) => changeOf(measure, row) ?? null, {
    id: 'change',
    header: t('change'),
    size: 120,
    enableSorting: true,
    cell: ({ getValue }) => <ChangeCell measure={measure} change={getValue()} percent={percent} />,
    meta: { label: t('change'), align: 'end' },
  });
  const name = helper.accessor('place', {
    id: 'name',
    header: heading,
    size: 240,
    enableSorting: true,
    cell: ({ row: { original } }) => <NameCell row={original} split={split} drawers={drawers} />,
    meta: { label: heading, card: 'title' },
  });
  const others = measures.filter((other) => other !== measure).map(figure);
  return helper.columns([name, figure(measure), ...(split === undefined ? [] : [change]), ...others]);
}

/** A channel or a user has a drawer of its own. */
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
  if (split === undefined || key === undefined || key === '0' || !drawers.includes(split))
    return <Name>{name}</Name>;
  return (
    <Link to={split === 'user' ? paths.users : paths.channels} search={{ open: key }}>
      <Name>{name}</Name>
    </Link>
  );
}

function ChangeCell({
  measure,
  change,
  percent,
}: {
  measure: Measure;
  change: number | null;
  percent: ColumnsInput['percent'];
}) {
  if (change === null) return UNKNOWN;
  const worse = isMoreWorse(measure);
  const bad = change !== 0 && worse !== undefined && change > 0 === worse;
  return (
    <Typography component="span" variant="inherit" sx={{ color: bad ? 'warning.main' : 'inherit' }}>
      {change > 0 ? '▲' : change < 0 ? '▼' : '•'} {percent(Math.abs(change))}
    </Typography>
  );
}

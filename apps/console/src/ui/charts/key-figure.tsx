import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from '../display/link.tsx';
import { RelativeChange } from './relative-change.tsx';

interface FigureProps {
  label: string;
  value: ReactNode;
  /** Relative change since the previous period: 0.12 is 12 % more. */
  change?: number | undefined;
  /** True for cost and errors, false for revenue; undefined for a neutral measure. */
  moreIsWorse?: boolean;
  /** Basis of the figure. */
  note?: string;
  trend?: readonly (number | null)[];
  /** Path of the list behind the figure. */
  to?: string;
  search?: Record<string, string>;
}

/** Shows one figure of a dashboard with its change, its trend and a link to the list behind it. */
export function KeyFigure({ label, value, change, moreIsWorse, note, trend, to, search }: FigureProps) {
  const { t } = useTranslation();
  return (
    <Paper variant="outlined" sx={{ borderRadius: 1.5, p: 2, minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Typography variant="body2" noWrap sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {to === undefined ? (
            label
          ) : (
            <Link to={to} search={search ?? {}} color="inherit">
              {label}
            </Link>
          )}
        </Typography>
        {trend !== undefined && <Sparkline values={trend} label={t('chart.trend', { label })} width={64} height={20} />}
      </Box>
      <Typography
        component="p"
        variant="h4"
        noWrap
        sx={{ mt: 0.5, fontSize: { xs: '1.25rem', sm: '1.75rem' }, fontVariantNumeric: 'tabular-nums' }}
      >
        {value}
      </Typography>
      <RelativeChange change={change} moreIsWorse={moreIsWorse} />
      {note !== undefined && (
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
          {note}
        </Typography>
      )}
    </Paper>
  );
}

interface SparklineProps {
  values: readonly (number | null)[];
  /** Description in words; the exact value is beside the sparkline. */
  label: string;
  width?: number;
  height?: number;
  kind?: 'line' | 'bars';
}

/** Shows the shape of a trend without axes. */
export function Sparkline({ values, label, width = 96, height = 24, kind = 'line' }: SparklineProps) {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, kind === 'line' ? values.length - 1 : values.length);
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      sx={{ color: 'primary.main', display: 'inline-block', verticalAlign: 'middle', overflow: 'visible' }}
    >
      <path
        d={kind === 'line' ? linePath(values, step, y) : barsPath(values, step, y, height)}
        fill="none"
        stroke="currentColor"
        strokeWidth={kind === 'line' ? 1.5 : Math.max(1, step - 1)}
        strokeLinejoin="round"
      />
    </Box>
  );
}

/** Returns the path of a line, which an unknown value interrupts. */
function linePath(values: readonly (number | null)[], step: number, y: (value: number) => number): string {
  let pen = 'M';
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    path += `${pen}${(index * step).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

/** Returns the path of one vertical bar per value; a small value is still visible. */
function barsPath(
  values: readonly (number | null)[],
  step: number,
  y: (value: number) => number,
  height: number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const x = ((index + 0.5) * step).toFixed(1);
      return `M${x} ${height}V${Math.min(height - 1, y(value)).toFixed(1)}`;
    })
    .join('');
}

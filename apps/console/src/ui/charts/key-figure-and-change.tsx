import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from '../display/link.tsx';
import { useFormat } from '../format/use-format.ts';
import { Sparkline } from './sparkline.tsx';

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

interface ChangeProps {
  /** Relative change since the previous period: 0.12 is 12 % more; undefined without a basis. */
  change: number | undefined;
  /** True for cost and errors, false for revenue; undefined for a neutral measure. */
  moreIsWorse?: boolean | undefined;
}

/** Shows the change as "+12% vs. previous period", in the warning colour if it is for the worse. */
export function RelativeChange({ change, moreIsWorse }: ChangeProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (change === undefined) return null;
  const bad = change !== 0 && moreIsWorse !== undefined && change > 0 === moreIsWorse;
  return (
    <Typography variant="caption" component="span" sx={{ color: bad ? 'warning.main' : 'text.secondary' }}>
      {format.percentChange(change)} {t('chart.against')}
    </Typography>
  );
}

/** Highest ratio of a value to the earlier one that is still shown as a percentage. */
const TIMES_MAX = 10;

/** Returns the relative change: 0.12 is 12 % more; undefined without a basis or above `TIMES_MAX`. */
export function relativeChange(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const times = now / before;
  return times > TIMES_MAX ? undefined : times - 1;
}

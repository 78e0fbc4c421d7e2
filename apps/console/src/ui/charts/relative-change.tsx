import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';

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

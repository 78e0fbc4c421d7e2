import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';

interface ChangeProps {
  /** Relative change against the period before: 0.12 is 12 % more; undefined where there is nothing to compare with. */
  change: number | undefined;
  /** Cost and errors: true, revenue: false. Left out, a change is neither good nor bad. */
  moreIsWorse?: boolean | undefined;
}

/** "▲ 12% against the period before", in the colour of a warning where it is for the worse. */
export function Change({ change, moreIsWorse }: ChangeProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (change === undefined) return null;
  const bad = change !== 0 && moreIsWorse !== undefined && change > 0 === moreIsWorse;
  return (
    <Typography variant="caption" component="span" sx={{ color: bad ? 'warning.main' : 'text.secondary' }}>
      {change > 0 ? '▲' : change < 0 ? '▼' : '•'} {format.percent(Math.abs(change))} {t('chart.against')}
    </Typography>
  );
}

/** Highest ratio of a value to the earlier one that is still shown as a percentage. */
const TIMES_MAX = 10;

/** 0.12 is 12 % more than before; undefined where there is nothing to compare with. */
export function relativeChange(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const times = now / before;
  return times > TIMES_MAX ? undefined : times - 1;
}

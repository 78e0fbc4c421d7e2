import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../format/format.ts';
import { useFormat } from '../format/use-format.ts';

/** An amount of points in dollars; the exact points on hover. */
export function Money({ points }: { points: number | null | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (points === null || points === undefined) return UNKNOWN;
  return (
    <Tooltip title={t('exactPoints', { count: points, points: format.number(points) })}>
      <span>{format.points(points)}</span>
    </Tooltip>
  );
}

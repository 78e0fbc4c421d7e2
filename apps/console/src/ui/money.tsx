import Tooltip from '@mui/material/Tooltip';
import { UNKNOWN } from './format.ts';
import { useFormat } from './use-format.ts';

/** An amount of points in dollars; the exact points on hover. */
export function Money({ points }: { points: number | null | undefined }) {
  const format = useFormat();
  if (points === null || points === undefined) return UNKNOWN;
  return (
    <Tooltip title={`${format.number(points)} pt`}>
      <span>{format.points(points)}</span>
    </Tooltip>
  );
}

import Tooltip from '@mui/material/Tooltip';
import { UNKNOWN } from '../format/format.ts';
import { useFormat } from '../format/use-format.ts';

/**
 * When something happened: relative, the exact time on hover and in the `time` element for copying.
 * @param seconds UTC seconds; 0 and undefined mean unknown
 */
export function Moment({ seconds }: { seconds: number | undefined }) {
  const format = useFormat();
  if (seconds === undefined || seconds <= 0) return UNKNOWN;
  const exact = format.moment(seconds);
  return (
    <Tooltip title={exact}>
      <time dateTime={new Date(seconds * 1000).toISOString()}>{format.relative(seconds)}</time>
    </Tooltip>
  );
}

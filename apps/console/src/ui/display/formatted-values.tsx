import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { isVisible, removeBidiControls } from '../../i18n/bidi.ts';
import { UNKNOWN } from '../format/format.ts';
import { useFormat } from '../format/use-format.ts';

/**
 * Shows a relative time; the exact time is in the tooltip and the `time` element.
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

/** Shows an amount of points in USD; the tooltip has the exact points. */
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

interface NameProps {
  children: string;
  /** Id that is shown instead of a name without a visible character. */
  id?: number | string | null | undefined;
}

/** Shows a name that a user chose, isolated from the direction of the surrounding text. */
export function Name({ children, id }: NameProps) {
  if (isVisible(children)) return <bdi>{removeBidiControls(children)}</bdi>;
  return id == null ? UNKNOWN : `#${id}`;
}

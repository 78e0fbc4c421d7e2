import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isVisible, removeBidiControls } from '../../i18n/bidi.ts';
import { UNKNOWN } from '../format/format.ts';
import { useFormat } from '../format/use-format.ts';
import { monoFont } from '../theme/tokens.ts';

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

/** An id, a model or a key in running text, set apart from the words around it. */
export function Mono({ children }: { children: ReactNode }) {
  return (
    <Box component="bdi" sx={{ fontFamily: monoFont, fontSize: '0.9em', minWidth: 0 }}>
      {typeof children === 'string' ? removeBidiControls(children) : children}
    </Box>
  );
}

interface NameProps {
  children: string;
  /** Stands for a name without a visible character. */
  id?: number | string | null | undefined;
}

/** A name that somebody chose, set apart from the words around it. */
export function Name({ children, id }: NameProps) {
  if (isVisible(children)) return <bdi>{removeBidiControls(children)}</bdi>;
  return id == null ? UNKNOWN : `#${id}`;
}

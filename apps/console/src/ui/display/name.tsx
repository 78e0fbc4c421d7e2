import { isVisible, removeBidiControls } from '../../i18n/bidi.ts';
import { UNKNOWN } from '../format/format.ts';

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

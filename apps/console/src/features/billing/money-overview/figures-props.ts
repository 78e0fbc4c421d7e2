import type { Overview } from './queries.ts';

export interface FiguresProps {
  current: Overview;
  /** Undefined while it is read. */
  before: Overview | undefined;
  /** The time of the figures, as filters of lists have it. */
  span: Record<string, string>;
}

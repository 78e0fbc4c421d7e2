import type { ReactNode } from 'react';
import { Moment, Money } from '../display/inline-values.tsx';
import { Link } from '../display/link.tsx';
import { Mono } from '../display/mono.tsx';
import { UNKNOWN } from '../format/format.ts';

/** Renders a cell with a time in UTC seconds. */
export const momentCell = (seconds: number | undefined) => <Moment seconds={seconds} />;
/** Renders a cell with an amount of points. */
export const moneyCell = (points: number | null | undefined) => <Money points={points} />;
/** Renders a cell with an id or a code. */
export const monoCell = (text: string) => <Mono>{text}</Mono>;
/** Renders a cell with an id or a code that may be empty. */
export const optionalMonoCell = (text: string) => (text === '' ? UNKNOWN : monoCell(text));

interface CellLinkProps {
  to: string;
  search?: Record<string, string>;
  children: ReactNode;
}

/** Renders a link in a row that opens its own target instead of the row's. */
export function CellLink({ to, search, children }: CellLinkProps) {
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link to={to} search={search ?? {}} color="inherit">
        {children}
      </Link>
    </span>
  );
}

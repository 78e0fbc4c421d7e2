import type { ReactNode } from 'react';
import { Link } from '../display/link.tsx';

/** Renders a link in a row that opens its own target instead of the row's. */
export function CellLink({
  to,
  search,
  children,
}: {
  to: string;
  search?: Record<string, string>;
  children: ReactNode;
}) {
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link to={to} search={search ?? {}} color="inherit">
        {children}
      </Link>
    </span>
  );
}

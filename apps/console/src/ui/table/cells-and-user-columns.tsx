import type { ReactNode } from 'react';
import { paths, userPath } from '../../paths.ts';
import { Moment, Money, Name } from '../display/formatted-values.tsx';
import { Link } from '../display/link.tsx';
import { Mono } from '../display/monospace-text.tsx';
import { UNKNOWN } from '../format/format.ts';
import { columnsFor } from './table-columns-and-props.ts';

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
function CellLink({ to, search, children }: CellLinkProps) {
  return (
    <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
      <Link to={to} search={search ?? {}} color="inherit">
        {children}
      </Link>
    </span>
  );
}

interface Attributed {
  user_id: number;
  username: string;
  channel: { id: number; name: string } | null;
}

/** Returns the columns of a user and a channel, which link to them, for tables of what all users did. */
export function whoColumns<Row extends Attributed>(user: string, channel: string) {
  const column = columnsFor<Row>();
  return [
    column.computed('user_id', user, ({ username }) => username, {
      size: 92,
      sortable: true,
      cell: (username, { user_id }) => (
        <CellLink to={userPath(user_id)}>
          <Name id={user_id}>{username}</Name>
        </CellLink>
      ),
    }),
    column.computed('channel_id', channel, (row) => row.channel?.name ?? '', {
      size: 108,
      sortable: true,
      cell: (name, row) =>
        row.channel === null ? (
          UNKNOWN
        ) : (
          <CellLink to={paths.channels} search={{ open: String(row.channel.id) }}>
            <Name id={row.channel.id}>{name}</Name>
          </CellLink>
        ),
    }),
  ];
}

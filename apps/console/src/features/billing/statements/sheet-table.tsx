import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

export interface SheetColumn {
  head: string;
  figure?: true;
  /** A phone has no room for it. */
  wideOnly?: true;
}

export interface SheetRow {
  key: string;
  cells: readonly ReactNode[];
}

interface SheetTableProps {
  title: string;
  columns: readonly SheetColumn[];
  rows: readonly SheetRow[];
  total?: SheetRow;
}

/** A table as it stands on paper. */
export function SheetTable({ title, columns, rows, total }: SheetTableProps) {
  const titleId = useId();
  const drawn = ({ key, cells }: SheetRow) => (
    <tr key={key}>
      {columns.map((column, index) => (
        <Box component="td" key={column.head} sx={styleOf(column)}>
          {cells[index]}
        </Box>
      ))}
    </tr>
  );
  return (
    <Box component="section" sx={{ mt: 3 }}>
      <Typography id={titleId} variant="h3" component="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box sx={{ overflowX: 'auto' }}>
        <Box component="table" aria-labelledby={titleId} sx={tableStyle}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Box component="th" scope="col" key={column.head} sx={styleOf(column)}>
                  {column.head}
                </Box>
              ))}
            </tr>
          </thead>
          <tbody>{rows.map(drawn)}</tbody>
          {total !== undefined && (
            <Box component="tfoot" sx={{ fontWeight: 600 }}>
              {drawn(total)}
            </Box>
          )}
        </Box>
      </Box>
    </Box>
  );
}

function styleOf({ figure, wideOnly }: SheetColumn) {
  return {
    textAlign: figure === true ? 'end' : 'start',
    ...(figure === true ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }),
    ...(wideOnly === true
      ? { display: { xs: 'none', sm: 'table-cell' }, '@media print': { display: 'table-cell' } }
      : {}),
  } as const;
}

const tableStyle = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
  '& th': { fontWeight: 500, color: 'text.secondary' },
  '& th, & td': { py: 0.75, pr: 1.5, borderBottom: 1, borderColor: 'divider', verticalAlign: 'top' },
  '& th:last-of-type, & td:last-of-type': { pr: 0 },
} as const;

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

export interface SheetRow {
  key: string;
  cells: readonly ReactNode[];
}

interface SheetTableProps {
  title: string;
  heads: readonly string[];
  /** How many of the first columns are text; the others are figures. */
  texts: number;
  rows: readonly SheetRow[];
  total?: SheetRow;
}

/** A table as it stands on paper. On a phone it is moved sideways. */
export function SheetTable({ title, heads, texts, rows, total }: SheetTableProps) {
  const titleId = useId();
  const align = (column: number) => (column < texts ? 'start' : 'end');
  const drawn = ({ key, cells }: SheetRow) => (
    <tr key={key}>
      {heads.map((head, column) => (
        <Box component="td" key={head} sx={{ textAlign: align(column), ...(column === 0 ? firstCell : {}) }}>
          {cells[column]}
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
              {heads.map((head, column) => (
                <Box component="th" scope="col" key={head} sx={{ textAlign: align(column) }}>
                  {head}
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

const firstCell = { overflowWrap: 'anywhere', minWidth: 140 } as const;

const tableStyle = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
  '& th': { fontWeight: 500, color: 'text.secondary', whiteSpace: 'nowrap' },
  '& th, & td': { py: 0.75, pr: 1.5, borderBottom: 1, borderColor: 'divider', verticalAlign: 'top' },
  '& th:last-of-type, & td:last-of-type': { pr: 0 },
} as const;

import Box from '@mui/material/Box';

interface SparklineProps {
  values: readonly (number | null)[];
  /** Description in words; the exact value is beside the sparkline. */
  label: string;
  width?: number;
  height?: number;
  kind?: 'line' | 'bars';
}

/** Shows the shape of a trend without axes. */
export function Sparkline({ values, label, width = 96, height = 24, kind = 'line' }: SparklineProps) {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, kind === 'line' ? values.length - 1 : values.length);
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      sx={{ color: 'primary.main', display: 'inline-block', verticalAlign: 'middle', overflow: 'visible' }}
    >
      <path
        d={kind === 'line' ? linePath(values, step, y) : barsPath(values, step, y, height)}
        fill="none"
        stroke="currentColor"
        strokeWidth={kind === 'line' ? 1.5 : Math.max(1, step - 1)}
        strokeLinejoin="round"
      />
    </Box>
  );
}

/** Returns the path of a line, which an unknown value interrupts. */
function linePath(values: readonly (number | null)[], step: number, y: (value: number) => number): string {
  let pen = 'M';
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    path += `${pen}${(index * step).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

/** Returns the path of one vertical bar per value; a small value is still visible. */
function barsPath(
  values: readonly (number | null)[],
  step: number,
  y: (value: number) => number,
  height: number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const x = ((index + 0.5) * step).toFixed(1);
      return `M${x} ${height}V${Math.min(height - 1, y(value)).toFixed(1)}`;
    })
    .join('');
}

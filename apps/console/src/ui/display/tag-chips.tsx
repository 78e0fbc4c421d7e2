import Box from '@mui/material/Box';
import { Name } from './name.tsx';
import { StatusChip } from './chips.tsx';

/** Words that somebody put on a thing, in one line unless they may wrap. */
export function TagChips({ tags, wrap = false }: { tags: readonly string[]; wrap?: boolean }) {
  return (
    <Box
      component="span"
      sx={{ display: 'flex', flexWrap: wrap ? 'wrap' : 'nowrap', gap: 0.5, overflow: 'hidden' }}
    >
      {tags.map((tag) => (
        <StatusChip key={tag} tone="neutral" dot={false}>
          <Name>{tag}</Name>
        </StatusChip>
      ))}
    </Box>
  );
}

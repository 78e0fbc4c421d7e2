import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import { IconHelpCircle } from '@tabler/icons-react';

/** Renders a "?" that explains a field on hover, focus and touch. */
export function Help({ text }: { text: string }) {
  return (
    <Tooltip title={text} enterTouchDelay={0}>
      <Box
        component="span"
        tabIndex={0}
        role="img"
        aria-label={text}
        sx={{ lineHeight: 0, color: 'text.secondary', cursor: 'help' }}
      >
        <IconHelpCircle size={15} />
      </Box>
    </Tooltip>
  );
}

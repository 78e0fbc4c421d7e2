import Box from '@mui/material/Box';
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { frameOf } from './dragged-rows.ts';
import type { usePriorityDrag } from './use-priority-drag.ts';

/** Shows where a dragged channel would be: a frame around the rows of a priority, or a line between two. */
export function DropMark({ drag }: { drag: ReturnType<typeof usePriorityDrag> }) {
  const mark = useRef<HTMLDivElement>(null);
  const { dragged, blocks, label, rows } = drag;
  useLayoutEffect(() => {
    if (dragged === undefined || mark.current === null) return;
    const frame = frameOf(rows(), blocks, dragged.at, dragged.by === 'keyboard');
    for (const [name, pixels] of Object.entries(frame)) mark.current.style.setProperty(name, `${pixels}px`);
  });
  if (dragged === undefined) return null;
  return createPortal(
    <Box
      ref={mark}
      aria-hidden
      sx={{
        position: 'fixed',
        zIndex: 'tooltip',
        pointerEvents: 'none',
        outline: 2,
        outlineOffset: -1,
        outlineColor: 'primary.main',
      }}
    >
      <Box
        sx={{
          position: 'absolute',
          right: 72,
          bottom: '100%',
          px: 1,
          py: 0.25,
          borderRadius: 1,
          bgcolor: 'primary.main',
          color: 'primary.contrastText',
          fontSize: '0.75rem',
          fontWeight: 500,
        }}
      >
        {label}
      </Box>
    </Box>,
    document.body,
  );
}

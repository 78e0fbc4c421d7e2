import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import type { Channel } from '@switchyard/contract/channels/channels';
import { IconGripVertical } from '@tabler/icons-react';
import {
  createContext,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  use,
  useLayoutEffect,
  useRef,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { dropPositionAt, frameOf, scrollAlong } from './priority-drop-positions.ts';
import { usePriorityDrag } from './use-priority-drag.ts';

const Dragging = createContext<ReturnType<typeof usePriorityDrag> | undefined>(undefined);

/** Makes rows sorted by priority draggable by their handles; without channels they have none. */
export function PriorityDrag({ channels, children }: { channels: readonly Channel[]; children: ReactNode }) {
  const around = useRef<HTMLDivElement>(null);
  const drag = usePriorityDrag(channels, around);
  return (
    <Box ref={around}>
      <Dragging value={channels.length === 0 ? undefined : drag}>{children}</Dragging>
      <DropMark drag={drag} />
      <Box aria-live="assertive" sx={hidden}>
        {drag.said}
      </Box>
    </Box>
  );
}

/** Drags its row by pointer, or by Space and the arrow keys. */
export function PriorityHandle({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const drag = use(Dragging);
  if (drag === undefined) return null;
  const { dragged } = drag;
  const isOwn = dragged?.channel.id === channel.id;
  const byPointer = isOwn && dragged.by === 'pointer';
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus();
    drag.take(channel, 'pointer');
  };
  const onPointerMove = ({ clientY }: PointerEvent) => {
    if (!byPointer) return;
    const all = drag.rows();
    scrollAlong(all, clientY);
    drag.moveTo(dropPositionAt(all, drag.blocks, clientY));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === ' ') {
      if (isOwn) void drag.drop();
      else drag.take(channel, 'keyboard');
    } else if (isOwn && event.key === 'Escape') drag.leave();
    else if (isOwn && step !== undefined) drag.moveTo(dragged.at + step);
    else return;
    event.preventDefault();
  };
  return (
    <Handle
      type="button"
      data-priority-handle=""
      aria-label={t('drag.handle', { name: channel.name })}
      aria-pressed={isOwn}
      onClick={(event) => event.stopPropagation()}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => byPointer && void drag.drop()}
      onPointerCancel={() => byPointer && drag.leave()}
      onKeyDown={onKeyDown}
      onBlur={() => isOwn && drag.leave()}
    >
      <IconGripVertical size={16} />
    </Handle>
  );
}

const Handle = styled('button')(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  flexShrink: 0,
  width: 24,
  height: 28,
  padding: 0,
  border: 0,
  borderRadius: 6,
  background: 'transparent',
  color: theme.vars.palette.text.secondary,
  cursor: 'grab',
  // Lets a finger drag instead of scroll.
  touchAction: 'none',
  '&[aria-pressed="true"]': { cursor: 'grabbing', color: theme.vars.palette.primary.main },
  '&:focus-visible': { outline: `2px solid ${theme.vars.palette.primary.main}` },
  '@media (pointer: coarse)': { width: 40, height: 40 },
}));

/** Visible to screen readers only. */
const hidden = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;

/** Marks the drop position: a frame around the rows of a priority, or a line between two priorities. */
function DropMark({ drag }: { drag: ReturnType<typeof usePriorityDrag> }) {
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

import { useLayoutEffect, useRef } from 'react';

/** Within this many pixels of the end counts as reading the end. */
const NEAR = 48;

/**
 * Keeps the end of what grows in sight, until the reader scrolls up.
 * @param fromTheStart false for what has ended: it is read from its beginning
 */
export function useStickToBottom(fromTheStart = true) {
  const place = useRef<HTMLDivElement>(null);
  const stuck = useRef(fromTheStart);
  useLayoutEffect(() => {
    const box = place.current;
    if (box !== null && stuck.current) box.scrollTop = box.scrollHeight;
  });
  const onScroll = () => {
    const box = place.current;
    if (box !== null) stuck.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
  };
  return { place, onScroll };
}

import { useLayoutEffect, useRef } from 'react';

/** Distance from the end in pixels within which the view follows new content. */
const NEAR = 48;

/**
 * Keeps the end of growing content visible until the user scrolls up.
 * @param fromTheStart false for finished content, which is read from its start
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

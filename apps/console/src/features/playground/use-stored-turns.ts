import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { isRunning, stopRunning, storedTurns, type Turn } from './conversation.ts';
import { readSession, writeSession } from './session-store.ts';

/** The conversation, kept for this tab and this user only. */
export function useStoredTurns(owner: string): [Turn[], Dispatch<SetStateAction<Turn[]>>] {
  const key = `playground.turns.${owner}`;
  const [turns, setTurns] = useState(() => stopRunning(readSession(key, storedTurns) ?? []));
  const latest = useRef(turns);
  useEffect(() => {
    latest.current = turns;
    if (!isRunning(turns)) writeSession(key, turns);
  }, [key, turns]);
  useEffect(() => {
    // Whoever leaves in the middle of an answer finds what had come.
    const keep = () => writeSession(key, latest.current);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, [key]);
  return [turns, setTurns];
}

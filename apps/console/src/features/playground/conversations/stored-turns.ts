import { conversationContent } from '@switchyard/contract/playground/conversation';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { isRunning, type Turn, toStoredTurns } from './conversation.ts';
import { readSession, writeSession } from './session-store.ts';

const storedTurns = conversationContent.shape.turns;

/** The conversation, kept for this tab and this user only. */
export function useStoredTurns(owner: string): [Turn[], Dispatch<SetStateAction<Turn[]>>] {
  const key = `playground.turns.${owner}`;
  const [turns, setTurns] = useState<Turn[]>(() => readSession(key, storedTurns) ?? []);
  const latest = useRef(turns);
  useEffect(() => {
    latest.current = turns;
    if (!isRunning(turns)) writeSession(key, toStoredTurns(turns));
  }, [key, turns]);
  useEffect(() => {
    // Whoever leaves in the middle of an answer finds what had come.
    const keepLatest = () => writeSession(key, toStoredTurns(latest.current));
    window.addEventListener('pagehide', keepLatest);
    return () => {
      window.removeEventListener('pagehide', keepLatest);
      keepLatest();
    };
  }, [key]);
  return [turns, setTurns];
}

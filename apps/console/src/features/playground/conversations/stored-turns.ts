import { conversationContent } from '@switchyard/contract/playground/conversation';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { isRunning, type Turn, toStoredTurns } from './conversation.ts';

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

/** Returns the value kept for this tab, or undefined when there is none or it no longer has the expected shape. */
export function readSession<Schema extends z.ZodType>(
  key: string,
  schema: Schema,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** Keeps something until the tab is closed; what does not fit lasts until the page is left. */
export function writeSession(key: string, value: unknown): void {
  try {
    // First, so that no old copy stays when pictures have filled the storage.
    sessionStorage.removeItem(key);
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full or blocked.
  }
}

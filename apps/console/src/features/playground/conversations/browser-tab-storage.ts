import { conversationContent } from '@switchyard/contract/playground/conversation';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { isRunning, type Turn, toStoredTurns } from './conversation.ts';

const storedTurns = conversationContent.shape.turns;

/** Returns the conversation, which is stored in this tab for this user. */
export function useStoredTurns(owner: string): [Turn[], Dispatch<SetStateAction<Turn[]>>] {
  const key = `playground.turns.${owner}`;
  const [turns, setTurns] = useState<Turn[]>(() => readSession(key, storedTurns) ?? []);
  const latest = useRef(turns);
  useEffect(() => {
    latest.current = turns;
    if (!isRunning(turns)) writeSession(key, toStoredTurns(turns));
  }, [key, turns]);
  useEffect(() => {
    // Stores the received part of a response when the user leaves the page.
    const keepLatest = () => writeSession(key, toStoredTurns(latest.current));
    window.addEventListener('pagehide', keepLatest);
    return () => {
      window.removeEventListener('pagehide', keepLatest);
      keepLatest();
    };
  }, [key]);
  return [turns, setTurns];
}

/** Returns the value stored in this tab; undefined when it is missing or does not match the schema. */
export function readSession<Schema extends z.ZodType>(key: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

/** Stores a value in this tab. A value that exceeds the quota is lost on leaving the page. */
export function writeSession(key: string, value: unknown): void {
  try {
    // Removes the old value first, so that it does not remain when the new one exceeds the quota.
    sessionStorage.removeItem(key);
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or blocked.
  }
}

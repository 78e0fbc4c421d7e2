import { useSyncExternalStore } from 'react';

let waiting = false;
const listeners = new Set<() => void>();

/** The session is over, and what was typed waits for the next one. */
export function waitForSignIn(next: boolean): void {
  waiting = next;
  for (const listener of listeners) listener();
}

export const waitsForSignIn = (): boolean => waiting;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useWaitsForSignIn(): boolean {
  return useSyncExternalStore(subscribe, waitsForSignIn);
}

import { useCallback, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const parsed = new Map<string, { text: string; value: unknown }>();

function readText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Returns the parsed JSON stored under a key, or undefined. An unchanged text returns the same object. */
export function readPreference(key: string): unknown {
  const text = readText(key);
  if (text === null) return undefined;
  const known = parsed.get(key);
  if (known?.text === text) return known.value;
  try {
    const value: unknown = JSON.parse(text);
    parsed.set(key, { text, value });
    return value;
  } catch {
    return undefined;
  }
}

/** Stores a preference in this browser. It must not contain secrets. */
export function writePreference(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or blocked; the preference is not kept.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/**
 * Returns a preference that is stored in this browser and shared between its tabs.
 * @param accepts checks whether a stored value still has the expected shape
 */
export function useStoredPreference<T>(
  key: string,
  initial: T,
  accepts: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const stored = useSyncExternalStore(subscribe, () => readPreference(key));
  const set = useCallback((value: T) => writePreference(key, value), [key]);
  return [accepts(stored) ? stored : initial, set];
}

import { useSyncExternalStore } from 'react';

/** Creates a boolean that any code can set and components can subscribe to. */
export function createBooleanStore() {
  let on = false;
  const listeners = new Set<() => void>();
  const isOn = (): boolean => on;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    isOn,
    turn: (next: boolean): void => {
      on = next;
      for (const listener of listeners) listener();
    },
    useIsOn: (): boolean => useSyncExternalStore(subscribe, isOn),
  };
}

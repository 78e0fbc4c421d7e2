import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchParams = Record<string, string>;

/** Router options that keep every search parameter as text, so that "123" stays a string. */
export const textSearchParams = {
  parseSearch: (text: string): SearchParams => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const text = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
};

/** Returns the URL's search parameters as text. */
export function useSearchParams(): SearchParams {
  return useSearch({ strict: false }) as SearchParams;
}

type SetSearchParams = (changes: Record<string, string | undefined>, history?: 'push' | 'replace') => void;

/**
 * Returns a function that changes some parameters and keeps the others; undefined and '' remove one. It
 * replaces the history entry by default, so that Back leaves the screen instead of undoing single letters.
 */
export function useSetSearchParams(): SetSearchParams {
  const navigate = useNavigate();
  return useCallback(
    (changes, history = 'replace') => {
      void navigate({
        to: '.',
        search: (current: SearchParams) => withChanges(current, changes),
        replace: history === 'replace',
        resetScroll: false,
      });
    },
    [navigate],
  );
}

/** Defers {@link useSetSearchParams} to after the next paint, for changes that render a hundred rows. */
export function useSetSearchParamsAfterPaint(): SetSearchParams {
  const set = useSetSearchParams();
  const { history: address } = useRouter();
  return useCallback(
    (changes, history) => {
      const { pathname } = address.location;
      afterPaint(() => {
        // The user may have left the screen, to which the change belongs.
        if (address.location.pathname === pathname) set(changes, history);
      });
    },
    [set, address],
  );
}

function withChanges(current: SearchParams, changes: Record<string, string | undefined>): SearchParams {
  const next = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') delete next[name];
    else next[name] = value;
  }
  return next;
}

/** Returns one parameter and its setter, which adds a history entry that Back undoes. */
export function useSearchParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const value = useSearchParams()[name];
  const set = useSetSearchParamsAfterPaint();
  return [value, useCallback((next) => set({ [name]: next }, 'push'), [set, name])];
}

/**
 * Runs slow work after the next paint, so that the browser first shows the response to a click. A hidden tab
 * never paints, so there it runs at once.
 */
function afterPaint(work: () => void): void {
  if (document.hidden) work();
  else requestAnimationFrame(() => setTimeout(work));
}

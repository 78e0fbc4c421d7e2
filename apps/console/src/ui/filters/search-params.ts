import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { afterPaint } from '../browser/after-paint.ts';

export type SearchParams = Record<string, string>;

/** Search parameters are plain text, so that a filter for "123" stays what was typed. For the router. */
export const textSearchParams = {
  parseSearch: (text: string): SearchParams => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const text = new URLSearchParams(
      Object.entries(search).map(([name, value]) => [name, String(value)]),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
};

/** The address's search parameters, all as text. */
export function useSearchParams(): SearchParams {
  return useSearch({ strict: false }) as SearchParams;
}

type SetSearchParams = (changes: Record<string, string | undefined>, history?: 'push' | 'replace') => void;

/**
 * Changes some parameters and keeps the rest; undefined and '' remove one.
 * Filters replace the history entry, so that Back leaves the screen rather than undoing letters.
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

/**
 * Returns {@link useSetSearchParams} deferred until the browser has painted the response to the press, for changes that
 * redraw a hundred rows.
 */
export function useSetSearchParamsAfterPaint(): SetSearchParams {
  const set = useSetSearchParams();
  const { history: address } = useRouter();
  return useCallback(
    (changes, history) => {
      const { pathname } = address.location;
      afterPaint(() => {
        // Whoever went to another screen meanwhile has left what this was meant for.
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

/** One parameter; setting it is a step that Back undoes. */
export function useSearchParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const value = useSearchParams()[name];
  const set = useSetSearchParamsAfterPaint();
  return [value, useCallback((next) => set({ [name]: next }, 'push'), [set, name])];
}

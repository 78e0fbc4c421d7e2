import { createContext, useContext, useEffect, useLayoutEffect } from 'react';

const Report = createContext<(unsaved: boolean) => void>(() => {});

/** Provider for containers of forms that can be closed, such as a drawer: reports whether closing would lose input. */
export const UnsavedReport = Report.Provider;

let forms = 0;

/** Returns whether leaving the screen would lose unsaved input. */
export const hasUnsavedInput = (): boolean => forms > 0;

/** Tells of a form that holds something, also while it is being sent. */
export function useTrackUnsavedInput(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    forms += 1;
    return () => {
      forms -= 1;
    };
  }, [dirty]);
}

export function useReportUnsavedInput(unsaved: boolean): void {
  const report = useContext(Report);
  // In the same turn as the key that was typed: the next one may be Escape.
  useLayoutEffect(() => {
    report(unsaved);
    return () => report(false);
  }, [report, unsaved]);
}

import { createContext, useContext, useEffect, useLayoutEffect } from 'react';

const Report = createContext<(unsaved: boolean) => void>(() => {});

/** Provider for containers of forms, such as a drawer, that receives whether closing would lose input. */
export const UnsavedReport = Report.Provider;

let forms = 0;

/** Returns whether leaving the screen would lose unsaved input. */
export const hasUnsavedInput = (): boolean => forms > 0;

/** Counts a form with unsaved input, also while it is being sent. */
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
  // Before the next key event, which may be Escape.
  useLayoutEffect(() => {
    report(unsaved);
    return () => report(false);
  }, [report, unsaved]);
}

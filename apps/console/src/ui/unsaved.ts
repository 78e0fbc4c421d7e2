import { createContext, useContext, useEffect } from 'react';

const Report = createContext<(unsaved: boolean) => void>(() => {});

/** What holds a form and can be closed, such as a drawer, learns here whether closing would lose something. */
export const UnsavedReport = Report.Provider;

export function useReportUnsaved(unsaved: boolean): void {
  const report = useContext(Report);
  useEffect(() => {
    report(unsaved);
    return () => report(false);
  }, [report, unsaved]);
}

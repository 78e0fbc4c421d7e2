import type { JobName, JobOutcome } from '@switchyard/contract/operations/system-info';

/** How the last run of a job went, as far as it was written down. */
export interface JobRunTable {
  name: JobName;
  /** UTC seconds, as the next. */
  last_started: number;
  last_ended: number;
  duration_ms: number;
  outcome: JobOutcome;
  /** Why it failed; empty otherwise. */
  message: string;
}

import type { JobName, JobOutcome } from '@switchyard/contract/operations/system-info';

/** Last recorded run of a job. */
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

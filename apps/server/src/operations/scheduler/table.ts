import type { JobName, JobOutcome } from '@switchyard/contract/operations/system-info';

/** Last recorded run of a job. */
export interface JobRunTable {
  name: JobName;
  /** UTC seconds, like the next. */
  last_started: number;
  last_ended: number;
  duration_ms: number;
  outcome: JobOutcome;
  /** Error of a failed run; empty otherwise. */
  message: string;
}

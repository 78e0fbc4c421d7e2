import type { SwitchyardTarget } from '../targets/switchyard.ts';
import type { Target } from '../targets/target.ts';
import type { Tools } from '../tools.ts';

/** What every scenario gets. */
export interface BenchRun {
  tools: Tools;
  /** For data; gone when the run ends. */
  folder: string;
  /** The mock itself, to compare with no proxy at all. */
  direct: Pick<Target, 'port' | 'headers'>;
  switchyard: SwitchyardTarget;
  bare: Target;
  /** Undefined when it cannot run here; `leftOut` says why. */
  nginx: Target | undefined;
  portkey: Target | undefined;
  leftOut: string[];
  rounds: number;
  /** Length of one measurement. */
  milliseconds: number;
  idleStreams: number;
}

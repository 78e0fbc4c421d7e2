import type { Tools } from '../mock-and-load-generator.ts';
import type { SwitchyardTarget } from '../targets/switchyard.ts';
import type { Target } from '../targets/target-and-requests.ts';

/** Parameters of every scenario. */
export interface BenchRun {
  tools: Tools;
  /** Folder for data; removed when the run ends. */
  folder: string;
  /** The mock itself, to compare with no proxy at all. */
  direct: Pick<Target, 'port' | 'headers'>;
  switchyard: SwitchyardTarget;
  bare: Target;
  /** Undefined if it cannot run here; `leftOut` has the reason. */
  nginx: Target | undefined;
  portkey: Target | undefined;
  leftOut: string[];
  rounds: number;
  /** Length of one measurement. */
  milliseconds: number;
  idleStreams: number;
}

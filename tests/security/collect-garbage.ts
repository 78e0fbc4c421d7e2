import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage at once, so that later measurements contain only live memory. */
export function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}

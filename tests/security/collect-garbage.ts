import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Now, so that what a test measures afterwards is what is really held. */
export function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}

/** Creates the folder in which tests record the database servers of this run, and stops those servers at its end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopSharedServers } from '../apps/server/src/testing/shared-servers.ts';

export function setup(): () => Promise<void> {
  // Several projects of a run share the folder.
  if (process.env['TEST_SERVERS'] !== undefined) return async () => {};
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-servers-'));
  process.env['TEST_SERVERS'] = folder;
  return async () => {
    await stopSharedServers(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

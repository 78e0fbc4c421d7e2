/** Tools for the operator: `npm run switchyard -- <command>`. */
import { join } from 'node:path';
import { resetRootPassword } from './cli/reset-root-password.ts';
import { rotateMasterKey } from './cli/rotate-master-key.ts';
import { verify } from './cli/verify.ts';
import { type Config, readConfig } from './config.ts';

const usage = `Usage: npm run switchyard -- <command>

  verify               recomputes every balance from the ledger and the audit log; fails when something does not add up
  reset-root-password  gives the root account a new password and ends its sessions
  rotate-master-key    puts a new key in master.key; stop the server first
`;

/** Each prints what it has to say and returns the exit code. */
const commands: Readonly<Record<string, (config: Config, databaseFile: string) => Promise<number>>> = {
  verify,
  'reset-root-password': resetRootPassword,
  'rotate-master-key': rotateMasterKey,
};

const command = commands[process.argv[2] ?? ''];
if (command === undefined) {
  console.error(usage);
  process.exit(2);
}
try {
  const config = readConfig();
  process.exitCode = await command(config, join(config.dataDir, 'switchyard.db'));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

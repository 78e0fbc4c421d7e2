/** Tools for the operator: `npm run switchyard -- <command>`. */
import { runCommand } from './tools/cli/run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2));

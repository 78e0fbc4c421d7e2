/** Tools for the operator: `npm run switchyard -- <command>`. */
import { requireSupportedNode } from './platform/node-version.ts';

requireSupportedNode('npm run switchyard -- <command>');
const { runCommand } = await import('./tools/cli/run-command.ts');
process.exitCode = await runCommand(process.argv.slice(2));

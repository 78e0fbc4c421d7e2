/** Tools for the operator: `npm run switchyard -- <command>`. */
import { backup } from './cli/backup.ts';
import type { Command } from './cli/command.ts';
import { configCommand } from './cli/config-command.ts';
import { copy } from './cli/copy.ts';
import { importInstallation } from './cli/import-installation.ts';
import { resetRootPassword } from './cli/reset-root-password.ts';
import { restore } from './cli/restore.ts';
import { rotateMasterKey } from './cli/rotate-master-key.ts';
import { verify } from './cli/verify.ts';
import { readConfig } from './config.ts';
import { messageOf } from './platform/message-of.ts';

const commands: Readonly<Record<string, Command>> = {
  verify,
  backup,
  restore,
  copy,
  'reset-root-password': resetRootPassword,
  'rotate-master-key': rotateMasterKey,
  import: importInstallation,
  config: configCommand,
};

const HELP: ReadonlySet<string> = new Set(['help', '--help', '-h']);

/** @param only of one command; undefined, or no command: of all */
function usage(only?: string): string {
  const lines = Object.entries(commands)
    .filter(([name]) => only === undefined || !Object.hasOwn(commands, only) || name === only)
    .map(
      ([name, { syntax, summary }]) =>
        `  ${syntax === undefined ? name : `${name} ${syntax}`}\n      ${summary}`,
    );
  return `Usage: npm run switchyard -- <command>, of the package: npx switchyard <command>\n\n${lines.join('\n')}\n`;
}

const [name = '', ...parameters] = process.argv.slice(2);
if ([name, ...parameters].some((word) => HELP.has(word))) {
  console.log(usage(name));
  process.exit(0);
}
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  console.error(usage());
  process.exit(2);
}
try {
  process.exitCode = await command.run(readConfig(), parameters);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

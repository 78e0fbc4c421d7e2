/** Runs a command by its name: for `cli.ts`, and for tests in their own process. */
import { readConfig } from '../../config.ts';
import { messageOf } from '../../platform/message-of.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { configCommand } from './config-command.ts';
import { copy } from './copy.ts';
import { importInstallation } from './import-installation.ts';
import { resetRootPassword } from './reset-root-password.ts';
import { restore } from './restore.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { verify } from './verify.ts';

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

/** Returns the help of one command; of all commands when `only` names none. */
function usage(only?: string): string {
  const lines = Object.entries(commands)
    .filter(([name]) => only === undefined || !Object.hasOwn(commands, only) || name === only)
    .map(
      ([name, { syntax, summary }]) =>
        `  ${syntax === undefined ? name : `${name} ${syntax}`}\n      ${summary}`,
    );
  return `Usage: npm run switchyard -- <command>, or with the package: npx switchyard <command>\n\n${lines.join('\n')}\n`;
}

/**
 * Runs a command, and prints its output or its error.
 * @param words the command's name and its parameters
 * @param variables environment variables; those of the process when absent
 * @returns the exit code
 */
export async function runCommand(
  [name = '', ...parameters]: readonly string[],
  variables?: Readonly<Record<string, string>>,
): Promise<number> {
  if ([name, ...parameters].some((word) => HELP.has(word))) {
    console.log(usage(name));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(usage());
    return 2;
  }
  try {
    return await command.run(readConfig(variables), parameters);
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
}

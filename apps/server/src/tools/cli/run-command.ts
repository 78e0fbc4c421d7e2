/** Runs a command by its name: for `cli.ts`, and for tests in their own process. */
import { readConfig } from '../../config.ts';
import { escapeControlCharacters } from '../../platform/escape-terminal-text.ts';
import { getErrorMessage } from '../../platform/log.ts';
import { backupCommand } from './backup.ts';
import type { Command } from './command-and-database-access.ts';
import { configCommand } from './config-command.ts';
import { copyCommand } from './copy-database-command.ts';
import { importCommand } from './import-installation.ts';
import { resetRootPasswordCommand } from './reset-root-password.ts';
import { restoreCommand } from './restore.ts';
import { rotateMasterKeyCommand } from './rotate-master-key.ts';
import { verifyCommand } from './verify.ts';

const commands: Readonly<Record<string, Command>> = {
  verify: verifyCommand,
  backup: backupCommand,
  restore: restoreCommand,
  copy: copyCommand,
  'reset-root-password': resetRootPasswordCommand,
  'rotate-master-key': rotateMasterKeyCommand,
  import: importCommand,
  config: configCommand,
};

const HELP: ReadonlySet<string> = new Set(['help', '--help', '-h']);

/** Returns the help of one command; of all commands if `only` names none. */
function formatUsage(only?: string): string {
  const lines = Object.entries(commands)
    .filter(([name]) => only === undefined || !Object.hasOwn(commands, only) || name === only)
    .map(([name, { syntax, summary }]) => `  ${syntax === undefined ? name : `${name} ${syntax}`}\n      ${summary}`);
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
    console.log(formatUsage(name));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const unknown = name === '' ? '' : `There is no command "${name}".\n\n`;
    console.error(escapeControlCharacters(unknown) + formatUsage());
    return 2;
  }
  try {
    return await command.run(readConfig(variables), parameters);
  } catch (error) {
    // It may quote a backup, a configuration file or another server.
    console.error(escapeControlCharacters(getErrorMessage(error)));
    return 1;
  }
}

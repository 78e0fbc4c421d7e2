import { renameSync, writeFileSync } from 'node:fs';
import { type Config, readVariable } from '../../config.ts';
import {
  type Api,
  connectToServer,
  explainError,
  exportFile,
  type Plan,
  planFile,
  readConfigFile,
} from '../config-file/config-file.ts';
import { type Command, readParameters } from './command-and-database-access.ts';

/** Exit code of `diff` if there are differences, following other comparison programs. */
const EXIT_DIFFERENT = 2;

interface ConfigCommandOptions {
  /** Undefined for an action without a file. */
  file: string | undefined;
  to: string | undefined;
  server: string | undefined;
  deleting: boolean;
}

/** Runs each action through the running server, so that its audit log and the other nodes receive the changes. */
export const configCommand: Command = {
  syntax: 'export [--to FILE] | validate FILE | diff FILE [--delete] | apply FILE [--delete], [--server URL]',
  summary: 'applies channels, prices, user groups and settings from a file, or exports them to a file',
  async run(config, parameters) {
    const { values, positionals } = readParameters(
      parameters,
      { to: { type: 'string' }, server: { type: 'string' }, delete: { type: 'boolean', default: false } },
      2,
    );
    const [name = '', file] = positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw new Error(`Name an action: config ${Object.keys(actions).join(', ')}`);
    if ((file === undefined) !== (name === 'export'))
      throw new Error(
        name === 'export'
          ? 'Use --to for the target file: config export --to FILE'
          : `Name the file: config ${name} FILE`,
      );
    return action(config, { file, to: values.to, server: values.server, deleting: values.delete });
  },
};

const actions: Readonly<Record<string, (config: Config, order: ConfigCommandOptions) => Promise<number>>> = {
  export: (config, order) =>
    withConnection(config, order, async (api) => {
      const { text, withSettings } = await exportFile(api);
      if (!withSettings) console.error('Settings are omitted: the access token may not read them');
      if (order.to === undefined) process.stdout.write(text);
      else writeFileAtomically(order.to, text);
      return 0;
    }),
  validate: async (_config, { file = '' }) => {
    readConfigFile(file);
    console.log(`${file}: no errors`);
    return 0;
  },
  diff: (config, order) =>
    withPlan(config, order, async ({ steps }) => {
      for (const { lines } of steps) for (const line of lines) console.log(line);
      return steps.length === 0 ? 0 : EXIT_DIFFERENT;
    }),
  apply: (config, order) =>
    withPlan(config, order, async ({ steps }) => {
      for (const { lines, run } of steps) {
        await run();
        for (const line of lines) console.log(line);
      }
      if (steps.length === 0) console.log('No differences');
      return 0;
    }),
};

async function withPlan(
  config: Config,
  order: ConfigCommandOptions,
  use: (plan: Plan) => Promise<number>,
): Promise<number> {
  const file = readConfigFile(order.file ?? '');
  return withConnection(config, order, async (api) => {
    const plan = await planFile(api, file, { deletesMissing: order.deleting, readVariable, dataDir: config.dataDir });
    for (const note of plan.notes) console.error(note);
    return use(plan);
  });
}

async function withConnection(
  config: Config,
  { server }: ConfigCommandOptions,
  use: (api: Api) => Promise<number>,
): Promise<number> {
  const { api, close } = connectToServer(config, server);
  try {
    return await use(api);
  } catch (error) {
    throw explainError(error);
  } finally {
    await close();
  }
}

/** Writes a file at once, so that a concurrent reader gets the old or the new text. */
function writeFileAtomically(file: string, text: string): void {
  const part = `${file}.tmp`;
  writeFileSync(part, text);
  renameSync(part, file);
}

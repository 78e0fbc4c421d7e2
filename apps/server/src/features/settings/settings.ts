/** Run-time settings: defaults from the contract, overridden by rows, held in memory, changed by root only. */
import {
  type SettingName,
  type Settings,
  settingDefinitions,
  settingFromText,
  settingNames,
  settingToText,
} from '@switchyard/contract/settings';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/db.ts';
import { fieldError } from '../../platform/app-error.ts';
import type { Log } from '../../platform/log.ts';

/** A stored value that no longer fits its setting is reported and left out. */
export async function loadSettings(db: Database, log: Log): Promise<Settings> {
  const rows = await db.writer.selectFrom('setting').selectAll().execute();
  const stored = new Map(rows.map((row) => [row.name, row.value]));
  const entries = settingNames.map((name) => [name, currentValue(name, stored.get(name), log)]);
  return Object.fromEntries(entries) as Settings;
}

function currentValue(name: SettingName, text: string | undefined, log: Log): unknown {
  if (text === undefined) return settingDefinitions[name].default;
  try {
    return settingFromText(name, text);
  } catch (error) {
    log.error({ err: error, setting: name }, 'a stored setting is not valid; its default is used');
    return settingDefinitions[name].default;
  }
}

export function listOptions(settings: Settings): { key: string; value: string }[] {
  return settingNames.map((name) => ({
    key: settingDefinitions[name].option,
    value: settingToText(settings[name]),
  }));
}

/** All or none. @throws AppError that names the option which is unknown or does not fit */
export async function saveOptions(
  ctx: Context,
  options: readonly { key: string; value: string }[],
): Promise<void> {
  const values = options.map(({ key, value }) => ({ name: nameOfOption(key), value: checked(key, value) }));
  await ctx.db.writer.transaction().execute(async (trx) => {
    for (const row of values) {
      await trx
        .insertInto('setting')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
        .execute();
    }
  });
  await ctx.changes.publish({ topic: 'settings' });
}

const byOption = new Map(settingNames.map((name) => [settingDefinitions[name].option as string, name]));

function nameOfOption(option: string): SettingName {
  const name = byOption.get(option);
  if (name === undefined) throw fieldError(option, 'unknown', `There is no setting ${option}`);
  return name;
}

function checked(option: string, value: string): string {
  try {
    return settingToText(settingFromText(nameOfOption(option), value));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issue = error.issues[0];
    throw fieldError(option, issue?.code ?? 'custom', `${option}: ${issue?.message ?? 'not valid'}`);
  }
}

import { ApiError } from '@switchyard/contract/exchange';
import {
  type SettingGroup,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingFromText,
  settingNames,
  settingToText,
} from '@switchyard/contract/settings';
import { z } from 'zod';

interface Option {
  key: string;
  value: string;
}

export const settingGroups = [
  'general',
  'mail',
  'quota',
  'limits',
  'monitoring',
  'log',
  'customisation',
] as const satisfies readonly SettingGroup[];

export const settingDefaults: Settings = settingsFrom([]);

/** The contract's own schema of each setting, together. */
export const settingsSchema = z.object(
  Object.fromEntries(settingNames.map((name) => [name, settingDefinitions[name].schema])),
) as z.ZodType as z.ZodType<Settings>;

/** Settings as the form holds them, chat links in the order in which they are shown. */
export function settingsFrom(options: readonly Option[]): Settings {
  const texts = new Map(options.map(({ key, value }) => [key, value]));
  const values = Object.fromEntries(
    settingNames.map((name) => [name, readSetting(name, texts.get(settingDefinitions[name].option))]),
  ) as Settings;
  return { ...values, chatLinks: values.chatLinks.toSorted((one, other) => other.sort - one.sort) };
}

/** What no longer fits is shown as its default, as the server treats it. */
function readSetting(name: SettingName, text: string | undefined): unknown {
  if (text === undefined) return settingDefinitions[name].default;
  try {
    return settingFromText(name, text);
  } catch {
    return settingDefinitions[name].default;
  }
}

function sameSetting(name: SettingName, one: Settings, other: Settings): boolean {
  return settingToText(one[name]) === settingToText(other[name]);
}

export function changedSettings(before: Settings, now: Settings): SettingName[] {
  return settingNames.filter((name) => !sameSetting(name, before, now));
}

/** The larger number stands first; the place in the table is what counts. */
export function withLinkOrder(values: Settings): Settings {
  const { chatLinks } = values;
  return {
    ...values,
    chatLinks: chatLinks.map((link, index) => ({ ...link, sort: chatLinks.length - index })),
  };
}

export function optionsOf(names: readonly SettingName[], values: Settings): Option[] {
  return names.map((name) => ({ key: settingDefinitions[name].option, value: settingToText(values[name]) }));
}

const nameOfOption = new Map<string, SettingName>(
  settingNames.map((name) => [settingDefinitions[name].option, name]),
);

/** The server refuses options; the form has fields. */
export function withFieldNames(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const fields = error.fields.map((field) => ({
    ...field,
    path: nameOfOption.get(field.path) ?? field.path,
  }));
  return new ApiError(error.code, error.message, {
    status: error.status,
    fields,
    requestId: error.requestId,
  });
}

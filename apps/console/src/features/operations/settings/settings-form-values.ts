import {
  isSecret,
  type SettingGroup,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingFromText,
  settingNames,
  settingToText,
} from '@switchyard/contract/operations/settings';
import { z } from 'zod';

interface Option {
  key: string;
  value: string;
}

export const settingGroups = [
  'general',
  'registration',
  'sign-in',
  'security',
  'mail',
  'quota',
  'payment',
  'invitations',
  'company',
  'limits',
  'monitoring',
  'tasks',
  'batches',
  'alerts',
  'log',
  'backups',
  'customisation',
] as const satisfies readonly SettingGroup[];

export const settingDefaults: Settings = settingsFrom([]);

/** Schema of all settings, combined from the contract's schemas. */
export const settingsSchema = z.object(
  Object.fromEntries(settingNames.map((name) => [name, settingDefinitions[name].schema])),
) as z.ZodType as z.ZodType<Settings>;

/** Returns the settings in the form's representation, with the chat links in display order. */
export function settingsFrom(options: readonly Option[]): Settings {
  const texts = new Map(options.map(({ key, value }) => [key, value]));
  const values = Object.fromEntries(
    settingNames.map((name) => [name, readSetting(name, texts.get(settingDefinitions[name].option))]),
  ) as Settings;
  return { ...values, chatLinks: values.chatLinks.toSorted((one, other) => other.sort - one.sort) };
}

/** Returns the setting's value. An invalid stored value reads as its default, as on the server. */
function readSetting(name: SettingName, text: string | undefined): unknown {
  if (text === undefined) return settingDefinitions[name].default;
  try {
    return settingFromText(name, text);
  } catch {
    return settingDefinitions[name].default;
  }
}

function sameSetting(name: SettingName, one: Settings, other: Settings): boolean {
  return settingToText(name, one[name]) === settingToText(name, other[name]);
}

export function changedSettings(before: Settings, now: Settings): SettingName[] {
  return settingNames.filter((name) => !sameSetting(name, before, now));
}

/** Sets the sort values of the chat links by their row; the largest comes first. */
export function withLinkOrder(values: Settings): Settings {
  const { chatLinks } = values;
  return { ...values, chatLinks: chatLinks.map((link, index) => ({ ...link, sort: chatLinks.length - index })) };
}

/** Removes the secrets, which the server now has; an empty field keeps the stored one. */
export function withoutSecrets(values: Settings): Settings {
  const secrets = settingNames.filter(isSecret).map((name) => [name, settingDefaults[name]]);
  return { ...values, ...Object.fromEntries(secrets) };
}

/** Returns the hint of each secret setting; '' for a secret that is not set. */
export function hintsFrom(secrets: readonly { key: string; hint: string }[]): Map<SettingName, string> {
  const hints = new Map(secrets.map(({ key, hint }) => [key, hint]));
  return new Map(settingNames.filter(isSecret).map((name) => [name, hints.get(settingDefinitions[name].option) ?? '']));
}

export function optionsOf(names: readonly SettingName[], values: Settings): Option[] {
  return names.map((name) => ({ key: settingDefinitions[name].option, value: settingToText(name, values[name]) }));
}

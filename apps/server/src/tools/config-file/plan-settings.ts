import { isDeepStrictEqual } from 'node:util';
import {
  type SettingName,
  settingDefinitions,
  settingFromText,
  settings,
  settingToText,
} from '@switchyard/contract/operations/settings';
import { needsStepUp } from '../../operations/settings/settings.ts';
import { findSettingByOption } from './file-schema.ts';
import { type Api, formatChange, formatChanged, formatPath, type Plan } from './plan-types-and-formatting.ts';

/** @param deleting whether options missing in the file are reset to their defaults */
export async function planSettings(
  api: Api,
  wanted: Readonly<Record<string, string>>,
  deleting: boolean,
): Promise<Plan> {
  const listed = await api(settings).list();
  const known = new Set(listed.map(({ key }) => key));
  const strange = Object.keys(wanted).find((option) => !known.has(option));
  if (strange !== undefined) throw new Error(`settings: The server has no setting ${strange}`);
  const lines: string[] = [];
  const notes: string[] = [];
  const options: { key: string; value: string }[] = [];
  for (const { key, value: now } of listed) {
    const name = findSettingByOption(key);
    const value = name === undefined ? undefined : (wanted[key] ?? (deleting ? getDefault(name) : undefined));
    if (name === undefined || value === undefined) continue;
    const [before, after] = [settingFromText(name, now), settingFromText(name, value)];
    if (isDeepStrictEqual(before, after)) continue;
    const fieldPath = ['settings', key];
    if (needsStepUp(name))
      notes.push(
        `${formatPath(fieldPath)} stays: ${formatChange(before, after)} needs a confirmed password, so change it in the console`,
      );
    else {
      lines.push(formatChanged(fieldPath, before, after));
      options.push({ key, value });
    }
  }
  const run = async (): Promise<void> => void (await api(settings).updateMany({ body: options }));
  return { steps: options.length === 0 ? [] : [{ lines, run }], notes };
}

/** Returns the settings that differ from their defaults, in the form of a file. */
export async function readChangedSettings(api: Api): Promise<Record<string, unknown>> {
  const listed = await api(settings).list();
  return Object.fromEntries(
    listed.flatMap(({ key, value }) => {
      const name = findSettingByOption(key);
      if (name === undefined || value === getDefault(name)) return [];
      return [[key, toFileValue(name, value)]];
    }),
  );
}

const getDefault = (name: SettingName): string => settingToText(name, settingDefinitions[name].default);

/** Returns text unchanged, and a JSON value as the value itself. */
function toFileValue(name: SettingName, text: string): unknown {
  const value: unknown = settingFromText(name, text);
  const isText = settingDefinitions[name].schema.safeParse(text).success;
  return isText ? text : value;
}

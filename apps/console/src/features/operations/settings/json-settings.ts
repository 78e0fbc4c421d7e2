import { type SettingName, settingDefinitions } from '@switchyard/contract/operations/settings';
import type { z } from 'zod';
import { jsonErrorLine } from '../../../ui/inputs/json-error-line.ts';

/** Why a text is not a setting's value. */
export type JsonProblem = { line: number | undefined } | { issue: z.core.$ZodIssue };

/** Undefined for a text that the setting takes. */
export function readJsonSetting(name: SettingName, text: string): JsonProblem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const issue = settingDefinitions[name].schema.safeParse(value, { reportInput: true }).error?.issues[0];
    return issue === undefined ? undefined : { issue };
  } catch (error) {
    return { line: jsonErrorLine(error) };
  }
}

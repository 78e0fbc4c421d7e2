import type { FieldError } from '@switchyard/contract/errors';
import { ApiError } from '@switchyard/contract/http-exchange';
import { type SettingName, settingDefinitions, settingNames } from '@switchyard/contract/operations/settings';
import { useTranslation } from 'react-i18next';

const nameOfOption = new Map<string, SettingName>(settingNames.map((name) => [settingDefinitions[name].option, name]));

/** Error rules that only settings have. */
const rules = ['needed', 'last-sign-in', 'names-can-be-taken-over'] as const;

/** Returns a function that maps an error from option names to form fields and translates its messages. */
export function useSettingErrors(): (error: unknown) => unknown {
  const { t } = useTranslation('settings');
  return (error) => {
    if (!(error instanceof ApiError)) return error;
    const fields = error.fields.map((field) => {
      const rule = rules.find((name) => name === field.rule);
      return {
        ...field,
        path: nameOfOption.get(field.path) ?? field.path,
        message: rule === undefined ? field.message : t(`refusal.${rule}`),
      };
    });
    return new ApiError(error.code, error.message, { status: error.status, fields, requestId: error.requestId });
  };
}

export function refusedFields(error: unknown): readonly FieldError[] {
  return error instanceof ApiError ? error.fields : [];
}

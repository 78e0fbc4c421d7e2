import { type SettingName, type Settings, settingDefinitions } from '@switchyard/contract/operations/settings';
import { type ReactNode, useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useIssueText } from '../../../ui/form/use-contract-form.ts';
import { jsonErrorLine, RowsOrJson } from '../../../ui/inputs/json-or-rows-input.tsx';
import { settingsFrom } from './settings-form-values.ts';

interface JsonSettingProps {
  control: Control<Settings>;
  name: SettingName;
  label: string;
  help: string;
  /** Editor that is an alternative to JSON and has its own label. */
  rows: ReactNode;
}

const INDENT = 2;
const textOf = (value: unknown): string => JSON.stringify(value, null, INDENT);

/** Edits a setting as rows or as JSON. Invalid text stays in the form, whose schema rejects it. */
export function JsonSetting({ control, name, label, help, rows }: JsonSettingProps) {
  const { t } = useTranslation('common');
  const { field } = useController({ control, name });
  const [json, setJson] = useState<string>();
  const problemText = useProblemText();
  const value: unknown = field.value;
  const isText = typeof value === 'string';
  const problem = json === undefined ? undefined : readJsonSetting(name, json);
  // The value was changed by something else: the form was reset or a value was restored.
  if (json !== undefined && !isText && (problem !== undefined || textOf(valueIn(name, json)) !== textOf(value)))
    setJson(textOf(value));
  const editor = (
    <RowsOrJson
      label={label}
      rows={rows}
      json={json}
      onJson={(typed) => {
        setJson(typed);
        field.onChange(readJsonSetting(name, typed) === undefined ? valueIn(name, typed) : typed);
      }}
      onBlur={field.onBlur}
      turn={{
        label: t(json === undefined ? 'form.pairs.asJson' : 'form.pairs.asRows'),
        disabled: isText,
        onClick: () => setJson(json === undefined ? textOf(value) : undefined),
      }}
    />
  );
  if (json === undefined) return editor;
  return (
    <FieldFrame label={label} help={help} error={problem && problemText(problem)}>
      {() => editor}
    </FieldFrame>
  );
}

/** Returns the value in the form's representation. */
function valueIn(name: SettingName, text: string): Settings[SettingName] {
  return settingsFrom([{ key: settingDefinitions[name].option, value: text }])[name];
}

function useProblemText(): (problem: JsonProblem) => string {
  const { t } = useTranslation('settings');
  const sentence = useIssueText();
  return (problem) => {
    if ('issue' in problem) {
      const says = sentence(problem.issue);
      return problem.issue.path.length === 0 ? says : `${problem.issue.path.join('.')}: ${says}`;
    }
    return problem.line === undefined ? t('json.not') : t('json.notAt', { line: problem.line });
  };
}

/** Reason why a text is not a valid value. */
type JsonProblem = { line: number | undefined } | { issue: z.core.$ZodIssue };

/** Returns the problem of the text; undefined when it is valid. */
export function readJsonSetting(name: SettingName, text: string): JsonProblem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const issue = settingDefinitions[name].schema.safeParse(value, { reportInput: true }).error?.issues[0];
    return issue === undefined ? undefined : { issue };
  } catch (error) {
    return { line: jsonErrorLine(error) };
  }
}

import OutlinedInput from '@mui/material/OutlinedInput';
import type { SafetyRuleId } from '@switchyard/contract/ids';
import {
  ruleAction,
  ruleKind,
  type SafetyRuleWithWords,
  safetyRuleForm,
} from '@switchyard/contract/operations/content-safety';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type FieldValues, useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { firstMessage } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { type FieldProps, TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { ruleQuery, useSaveRule } from './queries.ts';

interface RuleEditorProps {
  rule: SafetyRuleId | 'new' | undefined;
  onClose: () => void;
}

export function RuleEditor({ rule, onClose }: RuleEditorProps) {
  const { t } = useTranslation('content-safety');
  return (
    <DetailDrawer open={rule !== undefined} onClose={onClose} title={t(rule === 'new' ? 'new' : 'editTitle')}>
      {rule === 'new' && <RuleForm rule={undefined} onClose={onClose} />}
      {rule !== undefined && rule !== 'new' && <KnownRule id={rule} onClose={onClose} />}
    </DetailDrawer>
  );
}

function KnownRule({ id, onClose }: { id: SafetyRuleId; onClose: () => void }) {
  // Waits for fresh data, so that saving does not overwrite words that another user has changed.
  const { data, error, refetch, isFetchedAfterMount } = useQuery(ruleQuery(id));
  if (data === undefined || !isFetchedAfterMount) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return <RuleForm rule={data} onClose={onClose} />;
}

const asWords = (lines: readonly string[]): unknown => lines;
const wordLines = (words: unknown): string[] => (Array.isArray(words) ? words.map(String) : []);

function RuleForm({ rule, onClose }: { rule: SafetyRuleWithWords | undefined; onClose: () => void }) {
  const { t } = useTranslation(['content-safety', 'common']);
  const save = useSaveRule();
  const groups = useGroupOptions();
  const contractForm = useContractForm({
    schema: safetyRuleForm,
    values: {
      name: rule?.name ?? '',
      enabled: rule?.enabled ?? true,
      kind: rule?.kind ?? 'words',
      action: rule?.action ?? 'refuse',
      groups: rule?.groups ?? [],
      input: rule?.input ?? true,
      output: rule?.output ?? false,
      words: rule?.words ?? [],
      model: rule?.model ?? '',
      url: rule?.url ?? '',
      secret: '',
      thresholds: rule?.thresholds ?? {},
      timeout_ms: rule?.timeout_ms ?? 2_000,
      on_failure: rule?.on_failure ?? 'pass',
    },
    onSubmit: async (values) => {
      // Replaces the values of the fields that this kind hides.
      const places = values.kind === 'words' ? {} : { input: true, output: false };
      await save.mutateAsync({ ...values, ...places, id: rule?.id });
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  const kind = useWatch({ control, name: 'kind' });
  const isWords = kind === 'words';
  const actions = ruleAction.options.filter((action) => isWords || action !== 'mask');
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} autoFocus />
      <SelectInput
        control={control}
        name="kind"
        label={t('kind')}
        hint={t(`kindHint.${kind}`)}
        options={toOptions(ruleKind.options, (value) => t(`kindName.${value}`))}
      />
      {isWords && (
        <LinesInput
          control={control}
          name="words"
          label={t('words')}
          hint={t('wordsHint')}
          read={asWords}
          write={wordLines}
        />
      )}
      {kind === 'moderation' && (
        <TextInput
          control={control}
          name="model"
          label={t('model')}
          hint={t('modelHint')}
          placeholder="omni-moderation-latest"
          mono
        />
      )}
      {kind === 'webhook' && (
        <>
          <TextInput control={control} name="url" type="url" label={t('url')} hint={t('urlHint')} mono />
          <SecretInput
            control={control}
            name="secret"
            label={t('secret')}
            hint={t('secretHint')}
            stored={rule?.has_secret === true ? '…' : ''}
          />
        </>
      )}
      {!isWords && (
        <LinesInput
          control={control}
          name="thresholds"
          label={t('thresholds')}
          hint={t('thresholdsHint')}
          read={readThresholds}
          write={thresholdLines}
        />
      )}
      <SelectInput
        control={control}
        name="action"
        label={t('action')}
        options={toOptions(actions, (value) => t(`actionName.${value}`))}
      />
      {isWords && (
        <>
          <SwitchInput control={control} name="input" label={t('input')} />
          <SwitchInput control={control} name="output" label={t('output')} hint={t('outputHint')} />
        </>
      )}
      <CheckChipsInput
        control={control}
        name="groups"
        label={t('groups')}
        hint={t('groupsHint')}
        options={groups.map(({ value, label }) => ({ value, label }))}
      />
      {!isWords && (
        <>
          <NumberInput control={control} name="timeout_ms" label={t('timeout')} unit="ms" />
          <SelectInput
            control={control}
            name="on_failure"
            label={t('onFailure')}
            options={(['pass', 'refuse'] as const).map((value) => ({ value, label: t(`failureName.${value}`) }))}
          />
        </>
      )}
      <SwitchInput control={control} name="enabled" label={t('enabled')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}

const ROWS = 6;

/** Edits a value as lines of text. Keeps the entered text until the value changes from outside. */
function LinesInput<Values extends FieldValues>(
  props: FieldProps<Values> & {
    read: (lines: readonly string[]) => unknown;
    write: (value: unknown) => readonly string[];
  },
) {
  const { label, hint, help, read, write } = props;
  const { field, fieldState } = useController(props);
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(read(linesOf(typed))) === JSON.stringify(field.value);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={firstMessage(fieldState.error)}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          multiline
          minRows={ROWS / 2}
          maxRows={ROWS * 2}
          inputRef={field.ref}
          value={isTyped ? typed : write(field.value).join('\n')}
          onChange={({ target }) => {
            setTyped(target.value);
            field.onChange(read(linesOf(target.value)));
          }}
          onBlur={field.onBlur}
          error={fieldState.invalid}
          inputProps={{ 'aria-describedby': describedBy, spellCheck: false }}
          sx={{ fontFamily: monoFont, fontSize: '0.8125rem' }}
        />
      )}
    </FieldFrame>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Parses lines such as `category: 0.8`. A line without a number gets NaN, which the schema rejects. */
export function readThresholds(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = Math.max(line.lastIndexOf(':'), line.lastIndexOf(' '));
      const [name, score] = at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      return [name.replace(/[\s:]+$/, ''), score.trim() === '' ? Number.NaN : Number(score)];
    }),
  );
}

export function thresholdLines(value: unknown): string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, score]) => `${name}: ${String(score)}`)
    : [];
}

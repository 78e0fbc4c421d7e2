import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { EditResult } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { useId, useState } from 'react';
import { type DefaultValues, type FieldValues, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useServerErrorText } from '../../../ui/form/server-field-errors.ts';
import { useIssueText } from '../../../ui/form/use-contract-form.ts';
import { ChoiceOf } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { newValues } from '../editor/channel-form-values.ts';
import { previewEdit, useBulkEdit } from './bulk-calls-and-undo.ts';
import { BulkEditField } from './bulk-edit-field.tsx';
import {
  changeOf,
  type EditableField,
  type EditForm,
  editableFields,
  issuesOf,
  useFieldName,
} from './bulk-edit-fields.ts';
import { type ChannelTarget, useTargetChoice } from './bulk-target.tsx';

interface BulkEditDialogProps {
  target: ChannelTarget;
  onClose: () => void;
}

/** Changes fields of many channels after a preview. */
export function BulkEditDialog({ target, onClose }: BulkEditDialogProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const sentence = useIssueText();
  const fieldName = useFieldName();
  const apply = useBulkEdit();
  const { where, choice } = useTargetChoice(target);
  const { control, getValues } = useValues<CreateChannel>({ ...newValues, group: [] });
  const [added, setAdded] = useState<readonly EditableField[]>([]);
  const [status, setStatus] = useState<EditForm['status']>('enabled');
  const [ways, setWays] = useState<EditForm['ways']>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [checked, setChecked] = useState<{ of: string; result: EditResult }>();
  const [busy, setBusy] = useState(false);
  // Renders on every change of a value, so that an outdated preview is discarded.
  useWatch({ control });
  const change = changeOf({ fields: added, values: getValues(), status, ways });
  const asked = JSON.stringify([where, change]);
  const result = checked?.of === asked ? checked.result : undefined;

  const during = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  const check = () => {
    const issues = issuesOf(change);
    setErrors(Object.fromEntries(issues.map((issue) => [fieldOf(issue.path), sentence(issue)])));
    if (issues.length > 0) return;
    void during(async () => setChecked({ of: asked, result: await previewEdit({ where, change }) }));
  };
  const save = () =>
    during(async () => {
      await apply({ where, change });
      onClose();
    });

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('edits.title')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        {choice}
        {added.map((field) => (
          <BulkEditField
            key={field}
            field={field}
            control={control}
            status={status}
            way={ways[field]}
            error={errors[field]}
            onStatus={setStatus}
            onWay={(way) => setWays({ ...ways, [field]: way })}
            onRemove={() => setAdded(added.filter((name) => name !== field))}
          />
        ))}
        <ChoiceOf
          label={t('edits.addField')}
          value=""
          options={[
            { value: '', label: t('edits.chooseField') },
            ...editableFields
              .filter((field) => !added.includes(field))
              .map((field) => ({ value: field, label: fieldName(field) })),
          ]}
          onChange={(chosen) => {
            const field = editableFields.find((name) => name === chosen);
            if (field !== undefined) setAdded([...added, field]);
          }}
        />
        {result === undefined ? t('edits.othersStay') : <EditOutcome result={result} />}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {result === undefined || result.changed === 0 ? (
          <Button variant="contained" disabled={added.length === 0} loading={busy} onClick={check}>
            {t('edits.check')}
          </Button>
        ) : (
          <Button variant="contained" loading={busy} onClick={() => void save()}>
            {t('edits.apply', { count: result.changed })}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** Creates a form without validation; a field is checked when it is added. */
function useValues<Values extends FieldValues>(values: Values) {
  return useForm<Values>({ defaultValues: values as DefaultValues<Values> });
}

/** Returns the added field to which an issue of the change belongs. */
function fieldOf([first, second]: readonly PropertyKey[]): string {
  if (first === 'cost') return 'cost_ratio';
  return String(first === 'request_changes' ? second : first);
}

/** Maximum number of channels that are named for one reason. */
const NAMED = 5;

/** Shows how many channels a change affects, and the channels that refuse it, by reason. */
function EditOutcome({ result }: { result: EditResult }) {
  const { t } = useTranslation('channels');
  const sentenceOf = useServerErrorText();
  const fieldName = useFieldName();
  const reasons = Map.groupBy(result.refused, (refused) =>
    refused.path === '' ? sentenceOf(refused) : `${fieldName(refused.path)}: ${sentenceOf(refused)}`,
  );
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gap: 1 }}>
      <Alert severity={result.changed === 0 ? 'warning' : 'info'}>
        {t('edits.wouldChange', { count: result.changed, matched: result.matched })}
      </Alert>
      {result.refused_count > 0 && (
        <Alert severity="warning">
          {t('edits.wouldRefuse', { count: result.refused_count })}
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
            {[...reasons].map(([reason, refused]) => (
              <li key={reason}>
                {reason} (
                {refused
                  .slice(0, NAMED)
                  .map(({ name }) => isolateBidi(name))
                  .join(', ')}
                {refused.length > NAMED && ` +${refused.length - NAMED}`})
              </li>
            ))}
          </Box>
        </Alert>
      )}
    </Box>
  );
}

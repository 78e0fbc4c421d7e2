import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import {
  type ImportedItem,
  type ImportResult,
  type ImportSource,
  importSources,
} from '@switchyard/contract/channels/bulk-edits-and-import';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileButton } from '../../../ui/actions/file-buttons.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useServerErrorText, useServerFieldErrors } from '../../../ui/form/server-field-errors.ts';
import { ChoiceOf } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { previewImport, useImportChannels } from '../bulk-edit/bulk-calls-and-undo.ts';
import { useFieldName } from '../bulk-edit/bulk-edit-fields.ts';
import { useSourceName } from '../list/provider-and-option-names.ts';
import { parsedFile } from './channel-file-format.ts';

const knowns = ['update', 'skip'] as const;

/** Imports channels from a file or a pasted text after a preview. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const refusals = useServerFieldErrors();
  const sourceName = useSourceName();
  const { mutateAsync: send } = useImportChannels();
  const [text, setText] = useState('');
  const [source, setSource] = useState<ImportSource>('auto');
  const [known, setKnown] = useState<(typeof knowns)[number]>('update');
  const [error, setError] = useState<string>();
  const [result, setResult] = useState<ImportResult>();
  const [busy, setBusy] = useState(false);
  const wanted = result?.items.filter(({ outcome }) => outcome === 'new' || outcome === 'changed').length ?? 0;

  /** Applies a change and discards the preview, which no longer matches it. */
  const anew = (change: () => void) => {
    change();
    setResult(undefined);
    setError(undefined);
  };
  const run = async (work: typeof previewImport, done: (answer: ImportResult) => void) => {
    const content = parsedFile(text);
    if (content === undefined) {
      setError(t('edits.import.noJson'));
      return;
    }
    setBusy(true);
    try {
      done(await work({ content, source, known }));
    } catch (failure) {
      const [refused] = refusals(failure);
      if (refused === undefined) notifyError(failure);
      else setError(refused.sentence);
    } finally {
      setBusy(false);
    }
  };
  const bring = () =>
    run(send, ({ items }) => {
      const count = items.filter(({ outcome }) => outcome === 'new' || outcome === 'changed').length;
      notify('success', t('edits.import.done', { count }));
      onClose();
    });
  const readFile = async (file: File) => {
    const read = await file.text();
    anew(() => setText(read));
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="md" fullWidth>
      <DialogTitle id={titleId}>{t('edits.import.title')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <FileButton
          label={t('edits.import.file')}
          accept=".json,application/json"
          onChoose={(file) => void readFile(file)}
        />
        <FieldFrame label={t('edits.import.paste')} hint={t('edits.import.hint')} error={error}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              multiline
              minRows={3}
              maxRows={8}
              value={text}
              onChange={(event) => anew(() => setText(event.target.value))}
              error={error !== undefined}
              inputProps={{ 'aria-describedby': describedBy, spellCheck: false, autoComplete: 'off' }}
              sx={{ fontFamily: monoFont, fontSize: '0.8125rem' }}
            />
          )}
        </FieldFrame>
        <ChoiceOf
          label={t('edits.import.source')}
          value={source}
          options={toOptions(importSources, (value) => sourceName(value))}
          onChange={(chosen) => anew(() => setSource(importSources.find((value) => value === chosen) ?? 'auto'))}
        />
        <ChoiceOf
          label={t('edits.import.known')}
          value={known}
          options={toOptions(knowns, (value) => t(`edits.import.knownName.${value}`))}
          onChange={(chosen) => anew(() => setKnown(chosen === 'skip' ? 'skip' : 'update'))}
        />
        {result !== undefined && <ImportPreview result={result} />}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {wanted > 0 ? (
          <Button variant="contained" loading={busy} onClick={() => void bring()}>
            {t('edits.import.verb', { count: wanted })}
          </Button>
        ) : (
          <Button
            variant="contained"
            loading={busy}
            disabled={text.trim() === ''}
            onClick={() => void run(previewImport, setResult)}
          >
            {t('edits.check')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const outcomes = ['refused', 'changed', 'new', 'skipped', 'same'] as const;
/** Limits the rendered rows; the counts include the others. */
const SHOWN = 200;
const VALUE_SHOWN = 160;

/** Shows the effect of each row of a file: refused rows first, then changes with their differences. */
function ImportPreview({ result }: { result: ImportResult }) {
  const { t } = useTranslation('channels');
  const sourceName = useSourceName();
  const counts = outcomes.map(
    (outcome) => [outcome, result.items.filter((item) => item.outcome === outcome).length] as const,
  );
  const sorted = outcomes.flatMap((outcome) => result.items.filter((item) => item.outcome === outcome));
  const leftOut = [...new Set(result.items.flatMap((item) => item.left_out))];
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Alert severity="info">
        {sourceName(result.source)}
        {': '}
        {counts
          .filter(([, count]) => count > 0)
          .map(([outcome, count]) => `${t(`edits.import.outcome.${outcome}`)} ${count}`)
          .join(' · ')}
      </Alert>
      {leftOut.length > 0 && (
        <Alert severity="warning">{t('edits.import.leftOut', { names: leftOut.join(', ') })}</Alert>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
        {sorted.slice(0, SHOWN).map((item) => (
          <ImportedRow key={item.index} item={item} />
        ))}
      </Box>
      {sorted.length > SHOWN && <Box>{t('edits.import.more', { count: sorted.length - SHOWN })}</Box>}
    </Box>
  );
}

function ImportedRow({ item }: { item: ImportedItem }) {
  const { t } = useTranslation('channels');
  const fieldName = useFieldName();
  const sentenceOf = useServerErrorText();
  return (
    <Box component="li" sx={{ py: 0.75, borderBottom: 1, borderColor: 'divider', overflowWrap: 'anywhere' }}>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>
          <Name id={item.index + 1}>{item.name}</Name>
        </Box>
        <Box sx={{ color: item.outcome === 'refused' ? 'error.main' : 'text.secondary' }}>
          {t(`edits.import.outcome.${item.outcome}`)}
        </Box>
      </Box>
      {item.refusals.map((refusal) => (
        <Box key={`${refusal.path} ${refusal.rule}`} sx={{ color: 'error.main' }}>
          {refusal.path !== '' && `${fieldName(refusal.path)}: `}
          {sentenceOf(refusal)}
        </Box>
      ))}
      {item.changes.map(({ path, before, after }) => (
        <Box key={path}>
          {fieldName(path)}:{' '}
          <Box component="del" sx={{ fontFamily: monoFont, color: 'text.secondary' }}>
            {shown(before)}
          </Box>
          {' → '}
          <Box component="ins" sx={{ fontFamily: monoFont, textDecoration: 'none' }}>
            {shown(after)}
          </Box>
        </Box>
      ))}
      {item.left_out.length > 0 && (
        <Box sx={{ color: 'text.secondary' }}>{t('edits.import.leftOut', { names: item.left_out.join(', ') })}</Box>
      )}
    </Box>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > VALUE_SHOWN ? `${text.slice(0, VALUE_SHOWN)}…` : text;
}

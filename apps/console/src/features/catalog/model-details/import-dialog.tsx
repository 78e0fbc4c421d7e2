import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { ExternalSource } from '@switchyard/contract/catalog/catalog-updates';
import { existingModelChoices, type ParsedDetails } from '@switchyard/contract/catalog/model-details';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { FileButton } from '../../../ui/actions/file-buttons.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText, useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useServerErrorText, useServerFieldErrors } from '../../../ui/form/server-field-errors.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useImportDetails, useReadDetails } from './queries.ts';

type Known = (typeof existingModelChoices)[number];

/** Imports model metadata from a file, a text or a URL after a preview. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['model-details', 'common']);
  const titleId = useId();
  const notifyError = useNotifyError();
  const refusals = useServerFieldErrors();
  const sentence = useErrorText();
  const read = useReadDetails();
  const bring = useImportDetails();
  const [from, setFrom] = useState<ExternalSource['from']>('text');
  const [typed, setTyped] = useState({ text: '', url: '' });
  const [known, setKnown] = useState<Known>('skip');
  const value = typed[from].trim();
  const wanted = wantedOf(read.data, known);

  /** Sets the text and discards the preview, which no longer matches it. */
  const type = (next: string) => {
    read.reset();
    setTyped({ ...typed, [from]: next });
  };
  const save = () =>
    bring.mutate(
      { details: wanted, known },
      {
        onSuccess: ({ created, overwritten }) => {
          notify('success', t('imported', { count: created + overwritten }));
          onClose();
        },
        onError: notifyError,
      },
    );
  const refused = read.error === null ? undefined : (refusals(read.error)[0]?.sentence ?? sentence(read.error));

  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="md" fullWidth>
      <DialogTitle id={titleId}>{t('importTitle')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <ChoiceRow
          label={t('from')}
          value={from}
          options={toOptions(['text', 'url'] as const, (name) => t(`fromName.${name}`))}
          onChange={(next) => {
            read.reset();
            setFrom(next);
          }}
        />
        {from === 'text' && (
          <Box>
            <FileButton
              label={t('file')}
              accept=".json,application/json"
              onChoose={(file) => void file.text().then(type)}
            />
          </Box>
        )}
        <FieldFrame label={t(`fromLabel.${from}`)} hint={t('importHint')} error={refused}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              value={typed[from]}
              onChange={(event) => type(event.target.value)}
              error={refused !== undefined}
              {...(from === 'text'
                ? { multiline: true, minRows: 3, maxRows: 8 }
                : { type: 'url', placeholder: 'https://' })}
              inputProps={{ 'aria-describedby': describedBy, spellCheck: false, autoComplete: 'off' }}
              sx={{ fontFamily: monoFont, fontSize: '0.8125rem' }}
            />
          )}
        </FieldFrame>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, fontSize: '0.8125rem' }}>
          {t('known')}
          <ChoiceRow
            label={t('known')}
            value={known}
            options={toOptions(existingModelChoices, (name) => t(`knownName.${name}`))}
            onChange={setKnown}
          />
        </Box>
        {read.data !== undefined && <ImportPreview read={read.data} known={known} />}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {wanted.length > 0 ? (
          <Button variant="contained" loading={bring.isPending} onClick={save}>
            {t('importVerb', { count: wanted.length })}
          </Button>
        ) : (
          <Button
            variant="contained"
            loading={read.isPending}
            disabled={value === ''}
            onClick={() => read.mutate(from === 'url' ? { from, url: value } : { from, text: value })}
          >
            {t('look')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function wantedOf(read: ParsedDetails | undefined, known: Known) {
  const entries = read?.entries ?? [];
  return entries
    .filter(({ state }) => state === 'new' || (state === 'other' && known === 'overwrite'))
    .map(({ detail }) => detail);
}

/** Limits the rendered rows; the counts include the others. */
const SHOWN = 200;

interface ImportPreviewProps {
  read: ParsedDetails;
  known: (typeof existingModelChoices)[number];
}

/** Shows the effect of each entry of a list: refused entries first, each with its position. */
function ImportPreview({ read: { entries, problems }, known }: ImportPreviewProps) {
  const { t } = useTranslation('model-details');
  const sentenceOf = useServerErrorText();
  const outcomes = entries.map(({ detail, state }) => ({ detail, outcome: state === 'other' ? known : state }));
  const counts = (['new', 'overwrite', 'skip', 'same'] as const)
    .map((name) => [name, outcomes.filter(({ outcome }) => outcome === name).length] as const)
    .filter(([, count]) => count > 0);
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      {problems.length > 0 && (
        <Alert severity="warning">
          {t('problems', { count: problems.length })}
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5, maxHeight: 160, overflowY: 'auto' }} tabIndex={0}>
            {problems.slice(0, SHOWN).map((problem) => (
              <li key={`${problem.index} ${problem.path} ${problem.rule}`}>
                {t('entry', { number: problem.index + 1 })} <Mono>{problem.model}</Mono>{' '}
                {problem.path !== '' && (
                  <>
                    <Mono>{problem.path}</Mono>:{' '}
                  </>
                )}
                {sentenceOf(problem)}
              </li>
            ))}
          </Box>
        </Alert>
      )}
      {counts.length > 0 && (
        <Alert severity="info">
          {counts.map(([outcome, count]) => `${t(`outcome.${outcome}`)} ${count}`).join(' · ')}
        </Alert>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
        {outcomes.slice(0, SHOWN).map(({ detail, outcome }) => (
          <Box
            component="li"
            key={detail.model}
            sx={{
              display: 'flex',
              gap: 1,
              py: 0.75,
              borderBottom: 1,
              borderColor: 'divider',
              overflowWrap: 'anywhere',
            }}
          >
            <Box sx={{ flexGrow: 1, minWidth: 0 }}>
              <Mono>{detail.model}</Mono>
              {detail.name !== undefined && (
                <>
                  {' · '}
                  <Name>{detail.name}</Name>
                </>
              )}
            </Box>
            <Box sx={{ color: 'text.secondary', whiteSpace: 'nowrap' }}>{t(`outcome.${outcome}`)}</Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}

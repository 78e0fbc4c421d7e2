import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { LIST_MAX_BYTES, type ListSource } from '@switchyard/contract/catalog/catalog-updates';
import { ApiError } from '@switchyard/contract/http-exchange';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { FileButton } from '../../../ui/actions/file-buttons.tsx';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { useServerErrorText } from '../../../ui/form/server-field-errors.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useCompare } from './queries.ts';

type From = ListSource['from'];

/** Chooses the source of a list to compare; comparing changes nothing. */
export function SourceCard({ onCompared }: { onCompared: (id: number) => void }) {
  const { t } = useTranslation('catalogue');
  const compare = useCompare();
  const refusal = useRefusal();
  const [from, setFrom] = useState<From>('shipped');
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const [tooLarge, setTooLarge] = useState(false);
  const ready = from === 'shipped' || (from === 'url' ? url.trim() !== '' : text.trim() !== '');

  const choose = (next: From) => {
    compare.reset();
    setFrom(next);
  };
  const read = async (file: File) => {
    compare.reset();
    setTooLarge(file.size > LIST_MAX_BYTES);
    if (file.size <= LIST_MAX_BYTES) setText(await file.text());
  };
  const run = () => {
    const source: ListSource = from === 'url' ? { from, url: url.trim() } : from === 'text' ? { from, text } : { from };
    compare.mutate(source, { onSuccess: ({ id }) => onCompared(id) });
  };

  return (
    <SectionCard title={t('source')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !compare.isPending) run();
        }}
        sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}
      >
        <ChoiceRow
          label={t('source')}
          value={from}
          options={(['shipped', 'url', 'text'] as const).map((value) => ({ value, label: t(`from.${value}`) }))}
          onChange={choose}
        />
        {from === 'url' && (
          <TextField
            fullWidth
            label={t('url')}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            placeholder="https://"
            helperText={t('urlHelp')}
            error={compare.error !== null}
            type="url"
            sx={{ maxWidth: 640 }}
          />
        )}
        {from === 'text' && (
          <>
            <TextField
              fullWidth
              multiline
              minRows={4}
              maxRows={10}
              label={t('text')}
              value={text}
              onChange={(event) => setText(event.target.value)}
              helperText={t('urlHelp')}
              error={compare.error !== null}
            />
            <FileButton label={t('file')} accept="application/json,.json" onChoose={(file) => void read(file)} />
          </>
        )}
        {tooLarge && from === 'text' && <FormError text={t('fileTooLarge')} />}
        {compare.error !== null && <FormError text={refusal(compare.error)} />}
        <Button type="submit" variant="contained" loading={compare.isPending} disabled={!ready}>
          {t('compare')}
        </Button>
      </Box>
    </SectionCard>
  );
}

/** Returns a function that explains why a list was refused, with the position if the server reports it. */
function useRefusal(): (error: unknown) => string {
  const { t } = useTranslation('catalogue');
  const sentence = useErrorText();
  const sentenceOf = useServerErrorText();
  return (error) => {
    const field = error instanceof ApiError ? error.fields[0] : undefined;
    if (field === undefined) return sentence(error);
    const [, line, column] = /line (\d+) column (\d+)/.exec(field.message) ?? [];
    const place = line === undefined ? '' : ` · ${t('place', { line, column })}`;
    return `${sentenceOf(field)}${place}`;
  };
}

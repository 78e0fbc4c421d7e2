import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { lazy, Suspense, useState } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { type FieldProps, TextInput } from './text-input.tsx';

const Markdown = lazy(() => import('../markdown/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));

/** Edits Markdown with a preview. */
export function MarkdownInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const { t } = useTranslation();
  const { label } = props;
  const [shown, setShown] = useState<'write' | 'preview'>('write');
  const value: unknown = useController(props).field.value;
  const text = typeof value === 'string' ? value : '';
  return (
    <Box>
      {shown === 'write' ? (
        <TextInput {...props} rows={4} mono />
      ) : (
        <Box role="region" aria-label={t('form.previewOf', { label })}>
          <Box sx={{ fontSize: '0.8125rem', fontWeight: 500, mb: 0.5 }}>{label}</Box>
          <Box sx={{ minHeight: 96, px: 1.75, py: 1, borderRadius: 1, border: 1, borderColor: 'divider' }}>
            <Suspense fallback={null}>
              <Markdown text={text} pictures />
            </Suspense>
          </Box>
        </Box>
      )}
      <Tabs
        value={shown}
        onChange={(_, next: 'write' | 'preview') => setShown(next)}
        aria-label={label}
        sx={{ minHeight: 32, mt: 0.25, '& .MuiTab-root': { minHeight: 32, py: 0.5 } }}
      >
        <Tab value="write" label={t('form.write')} />
        <Tab value="preview" label={t('form.preview')} disabled={text.trim() === ''} />
      </Tabs>
    </Box>
  );
}

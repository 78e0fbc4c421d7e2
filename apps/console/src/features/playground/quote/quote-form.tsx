import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import type { ApiKeyId } from '@switchyard/contract/ids';
import { type QuoteRequest, quotedPath } from '@switchyard/contract/playground/quote';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { JsonInput } from '../../../ui/inputs/json-or-rows-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { type Option, toOptions } from '../../../ui/inputs/select-options.ts';
import { preferredModel } from '../../catalog/models/queries.ts';

interface QuoteFormProps {
  control: Control<QuoteValues>;
  keys: readonly ApiKey[];
  /** Selected token, which is an option even if the list lacks it. */
  startKey: ApiKeyId | undefined;
  checking: boolean;
  onSubmit: () => void;
}

const pathOptions: Option[] = toOptions(quotedPath.options);

export function QuoteForm({ control, keys, startKey, checking, onSubmit }: QuoteFormProps) {
  const { t } = useTranslation('quote');
  const path = useWatch({ control, name: 'path' });
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
    >
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'minmax(0, 1fr) 200px' }, gap: 2 }}>
        <SelectInput
          control={control}
          name="token"
          label={t('token')}
          options={[{ value: '', label: t('noToken') }, ...keyOptions(keys, startKey)]}
        />
        <SelectInput control={control} name="path" label={t('path')} options={pathOptions} />
      </Box>
      <JsonInput key={path} control={control} name={`bodies.${path}`} label={t('body')} height={320} />
      <Button type="submit" variant="contained" loading={checking} sx={{ justifySelf: 'start' }}>
        {t('check')}
      </Button>
    </Box>
  );
}

function keyOptions(keys: readonly ApiKey[], startKey: ApiKeyId | undefined): Option[] {
  const options = keys.map(({ id, name }) => ({ value: String(id), label: name }));
  const isListed = startKey === undefined || keys.some(({ id }) => id === startKey);
  return isListed ? options : [{ value: String(startKey), label: `#${startKey}` }, ...options];
}

type QuotedPath = QuoteRequest['path'];

/** Form values with a separate body for each relay path. */
export interface QuoteValues {
  /** Token id; empty for none. */
  token: string;
  path: QuotedPath;
  /** JSON text by relay path. */
  bodies: Record<QuotedPath, string>;
}

/** Returns a small request for each relay path, preferably with models that the user can call. */
export function sampleRequests(models: readonly string[]): Record<QuotedPath, string> {
  const isEmbedder = (name: string) => /embed/i.test(name);
  const writers = models.filter((name) => !isEmbedder(name));
  const model = preferredModel(writers) ?? 'gpt-5-mini';
  // Anthropic has no completions endpoint.
  const completer = preferredModel(writers.filter((name) => !/claude/i.test(name))) ?? model;
  const messages = [{ role: 'user', content: 'Hello!' }];
  const text = (body: object) => JSON.stringify(body, null, 2);
  return {
    '/v1/chat/completions': text({ model, messages }),
    '/v1/messages': text({ model, max_tokens: 1000, messages }),
    '/v1/completions': text({ model: completer, prompt: 'Hello!', max_tokens: 1000 }),
    '/v1/embeddings': text({ model: models.find(isEmbedder) ?? 'text-embedding-3-small', input: 'Hello!' }),
  };
}

/** Returns the JSON object in the text; undefined when there is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

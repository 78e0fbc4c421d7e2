import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { ToolCall } from '@switchyard/contract/playground/conversation';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';

/** Tool result in English, because the model need not know the user's language. */
const NOT_AVAILABLE = '{"error":"This tool is not available."}';

/** Shows a tool call of the model and its result. */
export function ToolCallView({ call }: { call: ToolCall }) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 0.5 }}>
      <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
        {t('toolCall')} <Mono>{call.name}</Mono>
      </Box>
      <CodeBlock code={indented(call.arguments)} label={t('arguments')} />
      {call.result !== undefined && (
        <>
          <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('result')}</Box>
          <CodeBlock code={indented(call.result)} label={t('result')} />
        </>
      )}
    </Box>
  );
}

interface ToolResultsProps {
  calls: readonly ToolCall[];
  onResults: (results: ReadonlyMap<ToolCall, string>) => void;
}

/** Asks the user for the result of each tool call, after which the model continues. */
export function ToolResults({ calls, onResults }: ToolResultsProps) {
  const { t } = useTranslation('playground');
  const [typed, setTyped] = useState<ReadonlyMap<ToolCall, string>>(new Map());
  const set = (call: ToolCall, result: string) => setTyped(new Map(typed).set(call, result));
  const ready = calls.every((call) => (typed.get(call) ?? '').trim() !== '');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
      {calls.map((call) => (
        <Box key={call.place} sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
          <ToolCallView call={call} />
          <FieldFrame label={t('resultOf', { name: call.name })} error={undefined}>
            {({ id }) => (
              <OutlinedInput
                id={id}
                fullWidth
                multiline
                maxRows={8}
                value={typed.get(call) ?? ''}
                placeholder={t('resultPlaceholder')}
                onChange={(event) => set(call, event.target.value)}
              />
            )}
          </FieldFrame>
          <Button size="small" color="inherit" onClick={() => set(call, NOT_AVAILABLE)} sx={{ justifySelf: 'start' }}>
            {t('notAvailable')}
          </Button>
        </Box>
      ))}
      <Button
        variant="contained"
        size="small"
        disabled={!ready}
        onClick={() => onResults(typed)}
        sx={{ justifySelf: 'start' }}
      >
        {t('giveResults', { count: calls.length })}
      </Button>
    </Box>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // Incomplete or invalid JSON.
    return json;
  }
}

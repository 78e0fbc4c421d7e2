import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import { type Tool, tool } from '@switchyard/contract/playground/conversation';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { JsonEditor } from '../../../ui/inputs/json-editor.tsx';

interface ToolsDialogProps {
  tools: readonly Tool[];
  onSave: (tools: Tool[]) => void;
  onClose: () => void;
}

/** Edits the tools as JSON and validates them on input. */
export function ToolsDialog({ tools, onSave, onClose }: ToolsDialogProps) {
  const { t } = useTranslation(['playground', 'common']);
  const titleId = useId();
  const [text, setText] = useState(() => (tools.length === 0 ? '' : toolsText(tools)));
  const reading = readTools(text);
  const read = 'tools' in reading ? reading.tools : undefined;
  const add = (example: Tool) =>
    setText(toolsText([...(read ?? []).filter(({ name }) => name !== example.name), example]));
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="md" fullWidth>
      <DialogTitle id={titleId}>{t('tools')}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('toolsText')}
        </Typography>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
          {exampleTools.map((example) => (
            <Button
              key={example.name}
              size="small"
              variant="outlined"
              color="inherit"
              disabled={read === undefined}
              onClick={() => add(example)}
            >
              {t('addExample', { name: example.name })}
            </Button>
          ))}
        </Box>
        <JsonEditor label={t('tools')} height={320} value={text} onChange={setText} onBlur={() => {}} />
        <FormHelperText error={'problem' in reading} role="status" sx={{ m: 0 }}>
          {'problem' in reading
            ? t(`toolsProblem.${reading.problem}`, { where: reading.where })
            : t('toolsFine', { count: reading.tools.length })}
        </FormHelperText>
      </DialogContent>
      <DialogActions>
        <Button color="inherit" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button variant="contained" disabled={read === undefined} onClick={() => read !== undefined && onSave(read)}>
          {t('common:save')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const MOST_TOOLS = 128;
const toolList = z
  .array(tool)
  .max(MOST_TOOLS)
  .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'names repeat');

type ToolsReading =
  | { tools: Tool[] }
  /** `where` is a path in the list, such as `0.name`; for invalid JSON it is the parser's message. */
  | { problem: 'json' | 'shape'; where: string };

/** Parses the entered list of tools. Empty text means no tools. */
export function readTools(text: string): ToolsReading {
  if (text.trim() === '') return { tools: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { problem: 'json', where: error instanceof Error ? error.message : '' };
  }
  const { data, error } = toolList.safeParse(parsed);
  if (data !== undefined) return { tools: data };
  const [issue] = error.issues;
  return { problem: 'shape', where: [...(issue?.path ?? [])].join('.') };
}

export function toolsText(tools: readonly Tool[]): string {
  return JSON.stringify(tools, null, 2);
}

/** Sample tools for a first try. */
export const exampleTools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Current weather in a city',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of the city' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      },
      required: ['city'],
    },
  },
  {
    name: 'search_orders',
    description: 'Orders of a customer, newest first',
    parameters: {
      type: 'object',
      properties: {
        customer: { type: 'string', description: 'Mail address of the customer' },
        limit: { type: 'integer', minimum: 1, maximum: 20 },
      },
      required: ['customer'],
    },
  },
];

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import type { Tool } from '@switchyard/contract/playground/conversation';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { JsonEditor } from '../../../ui/inputs/json-editor.tsx';
import { exampleTools, readTools, toolsText } from './tools-text.ts';

interface ToolsDialogProps {
  tools: readonly Tool[];
  onSave: (tools: Tool[]) => void;
  onClose: () => void;
}

/** The tools as JSON, judged while it is typed. */
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
        <Button
          variant="contained"
          disabled={read === undefined}
          onClick={() => read !== undefined && onSave(read)}
        >
          {t('common:save')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

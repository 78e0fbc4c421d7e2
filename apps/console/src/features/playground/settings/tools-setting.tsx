import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import type { Tool, ToolChoice } from '@switchyard/contract/playground/conversation';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';

const ToolsDialog = lazy(() =>
  import('./tools-dialog.tsx').then(({ ToolsDialog }) => ({ default: ToolsDialog })),
);

interface ToolsSettingProps {
  tools: Tool[];
  choice: ToolChoice;
  onChange: (tools: Tool[], choice: ToolChoice) => void;
}

const words = ['auto', 'none', 'required'] as const;
const NAMED = 'name:';

/** Edits the tools that the models may call, and whether they must call one. */
export function ToolsSetting({ tools, choice, onChange }: ToolsSettingProps) {
  const { t } = useTranslation('playground');
  const [open, setOpen] = useState(false);
  const value = typeof choice === 'string' ? choice : NAMED + choice.name;
  const choose = (next: string) =>
    onChange(tools, words.find((word) => word === next) ?? { name: next.slice(NAMED.length) });
  return (
    <>
      <FieldFrame label={t('tools')} help={t('toolsHelp')} error={undefined}>
        {({ id }) => (
          <Button
            id={id}
            fullWidth
            variant="outlined"
            color="inherit"
            onClick={() => setOpen(true)}
            sx={{ justifyContent: 'start', overflowWrap: 'anywhere', textAlign: 'start' }}
          >
            {tools.length === 0 ? t('addTools') : tools.map(({ name }) => name).join(', ')}
          </Button>
        )}
      </FieldFrame>
      {tools.length > 0 && (
        <FieldFrame label={t('toolChoice')} error={undefined}>
          {({ id }) => (
            <Select
              fullWidth
              size="small"
              value={value}
              SelectDisplayProps={{ id }}
              inputProps={{ 'aria-label': t('toolChoice') }}
              onChange={(event) => choose(event.target.value)}
            >
              {words.map((word) => (
                <MenuItem key={word} value={word}>
                  {t(`choice.${word}`)}
                </MenuItem>
              ))}
              {tools.map(({ name }) => (
                <MenuItem key={name} value={NAMED + name}>
                  {name}
                </MenuItem>
              ))}
            </Select>
          )}
        </FieldFrame>
      )}
      <Suspense fallback={null}>
        {open && (
          <ToolsDialog
            tools={tools}
            onClose={() => setOpen(false)}
            onSave={(next) => {
              const lost = typeof choice === 'object' && !next.some(({ name }) => name === choice.name);
              onChange(next, lost ? 'auto' : choice);
              setOpen(false);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import type { Settings } from '@switchyard/contract/operations/settings';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { type Control, useFieldArray, useFormState } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Help } from '../../../ui/form/field-help.tsx';
import { AddRow } from '../../../ui/form/form-layout.tsx';
import { SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';

interface ChatLinksInputProps {
  control: Control<Settings>;
  label: string;
  help: string;
}

const ownMessage = (error: unknown) =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? error.message
    : undefined;

/** Edits the chat clients that the token screens offer, in the order of the rows. */
export function ChatLinksInput({ control, label, help }: ChatLinksInputProps) {
  const { t } = useTranslation('settings');
  const { fields, append, remove, move } = useFieldArray({ control, name: 'chatLinks' });
  const { errors } = useFormState({ control, name: 'chatLinks' });
  const problem = ownMessage(errors.chatLinks);
  return (
    <Box role="group" aria-label={label} sx={{ display: 'grid', gap: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, fontSize: '0.8125rem', fontWeight: 500 }}>
        {label}
        <Help text={help} />
      </Box>
      {fields.map((row, index) => (
        <LinkRow
          key={row.id}
          control={control}
          index={index}
          last={index === fields.length - 1}
          onMove={(to) => move(index, to)}
          onRemove={() => remove(index)}
        />
      ))}
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1.5 }}>
        <AddRow label={t('link.add')} onClick={() => append({ name: '', url: 'https://', show: true, sort: 0 })} />
        {fields.length > 0 && (
          <FormHelperText sx={{ m: 0 }}>{t('link.placeholders', { key: '{key}', server: '{server}' })}</FormHelperText>
        )}
      </Box>
      {problem !== undefined && <FormHelperText error>{problem}</FormHelperText>}
    </Box>
  );
}

interface LinkRowProps {
  control: Control<Settings>;
  index: number;
  last: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function LinkRow({ control, index, last, onMove, onRemove }: LinkRowProps) {
  const { t } = useTranslation('settings');
  const place = { place: index + 1 };
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '160px minmax(0, 1fr) auto' },
        gap: 1,
        p: 1.5,
        borderRadius: 1,
        border: 1,
        borderColor: 'divider',
      }}
    >
      <TextInput control={control} name={`chatLinks.${index}.name`} label={t('link.name')} />
      <TextInput control={control} name={`chatLinks.${index}.url`} label={t('link.url')} mono />
      <Box sx={{ display: 'flex', alignItems: 'center', alignSelf: 'start', pt: { xs: 0, sm: 2.75 } }}>
        <SwitchInput control={control} name={`chatLinks.${index}.show`} label={t('link.show')} />
        <IconButton
          size="small"
          disabled={index === 0}
          onClick={() => onMove(index - 1)}
          aria-label={t('link.up', place)}
          sx={{ ml: 'auto' }}
        >
          <IconArrowUp size={16} />
        </IconButton>
        <IconButton size="small" disabled={last} onClick={() => onMove(index + 1)} aria-label={t('link.down', place)}>
          <IconArrowDown size={16} />
        </IconButton>
        <IconButton size="small" onClick={onRemove} aria-label={t('link.remove', place)}>
          <IconTrash size={16} />
        </IconButton>
      </Box>
    </Box>
  );
}

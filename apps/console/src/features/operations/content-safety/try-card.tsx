import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import TextField from '@mui/material/TextField';
import { type RulePlace, rulePlace, type SafetyTrial } from '@switchyard/contract/operations/content-safety';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { useTryText } from './queries.ts';

const DEFAULT_GROUP = 'default';

/** Shows the effect of the word lists on a text. */
export function TryCard() {
  const { t } = useTranslation('content-safety');
  const groups = useGroupOptions();
  const tryText = useTryText();
  const notifyError = useNotifyError();
  const [text, setText] = useState('');
  const [group, setGroup] = useState(DEFAULT_GROUP);
  const [place, setPlace] = useState<RulePlace>('input');
  const ask = () => tryText.mutate({ text, group, place }, { onError: notifyError });
  const known = groups.some(({ value }) => value === group) ? group : '';
  return (
    <SectionCard title={t('try')}>
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        <TextField
          multiline
          minRows={3}
          maxRows={10}
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder={t('tryPlaceholder')}
          slotProps={{ htmlInput: { 'aria-label': t('tryText') } }}
        />
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <Select
            value={known}
            onChange={({ target }) => setGroup(target.value)}
            SelectDisplayProps={{ 'aria-label': t('group') }}
            sx={{ minWidth: 140 }}
          >
            {groups.map(({ value, label }) => (
              <MenuItem key={value} value={value}>
                {label}
              </MenuItem>
            ))}
          </Select>
          <Select
            value={place}
            onChange={({ target }) => setPlace(target.value)}
            SelectDisplayProps={{ 'aria-label': t('place') }}
          >
            {rulePlace.options.map((value) => (
              <MenuItem key={value} value={value}>
                {t(`placeName.${value}`)}
              </MenuItem>
            ))}
          </Select>
          <Button
            variant="contained"
            disabled={text.trim() === '' || known === '' || tryText.isPending}
            onClick={ask}
          >
            {t('tryNow')}
          </Button>
        </Box>
        {tryText.data !== undefined && <Trial trial={tryText.data} />}
      </Box>
    </SectionCard>
  );
}

function Trial({ trial: { refused, text, found } }: { trial: SafetyTrial }) {
  const { t } = useTranslation('content-safety');
  return (
    <Box role="status" sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      <StatusChip tone={refused ? 'error' : 'success'}>{t(refused ? 'isRefused' : 'passes')}</StatusChip>
      {found.map(({ id, name, action }) => (
        <Box key={id}>{t('finding', { rule: name, action: t(`actionName.${action}`) })}</Box>
      ))}
      {!refused && found.some(({ action }) => action === 'mask') && <Mono>{text}</Mono>}
    </Box>
  );
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import {
  type RulePlace,
  rulePlace,
  type SafetyRule,
  type SafetyTrial,
} from '@switchyard/contract/operations/content-safety';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { PrimaryAction } from '../../../ui/actions/primary-action.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { groupName, useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { rulesQuery, useRemoveRule, useTryText } from './queries.ts';
import { RuleEditor } from './rule-editor.tsx';

const toneOf: Readonly<Record<SafetyRule['action'], Tone>> = { refuse: 'error', mask: 'warning', flag: 'info' };

/** Lists the content rules. `?edit=` changes one, `?edit=new` creates one. */
export function ContentSafetyPage() {
  const { t } = useTranslation('content-safety');
  const { data: rules, error, refetch } = useQuery(rulesQuery);
  const [edited, setEdited] = useSearchParam('edit');
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<PrimaryAction icon={<IconPlus size={18} />} label={t('new')} onClick={() => setEdited('new')} />}
      />
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>
        {t('intro')}
      </Typography>
      {rules === undefined && <PendingPanel error={error} refetch={refetch} height={200} />}
      {rules?.length === 0 && <EmptyState>{t('empty')}</EmptyState>}
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          mb: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        {rules?.map((rule) => (
          <RuleCard key={rule.id} rule={rule} onEdit={() => setEdited(String(rule.id))} />
        ))}
      </Box>
      {rules !== undefined && rules.length > 0 && <TryCard />}
      <RuleEditor
        rule={edited === 'new' ? 'new' : rules?.find(({ id }) => String(id) === edited)?.id}
        onClose={() => setEdited(undefined)}
      />
    </>
  );
}

function RuleCard({ rule, onEdit }: { rule: SafetyRule; onEdit: () => void }) {
  const { t } = useTranslation(['content-safety', 'common']);
  const groups = useGroupOptions();
  const remove = useRemoveRule();
  const { id, name, kind, action, enabled, found } = rule;
  const what = kind === 'words' ? t('wordCount', { count: rule.word_count }) : rule.model || rule.url;
  const where = (['input', 'output'] as const).filter((place) => rule[place]);
  return (
    <SectionCard title={<Name id={id}>{name}</Name>}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, mb: 1.5 }}>
        <StatusChip tone={enabled ? 'success' : 'neutral'}>{t(enabled ? 'on' : 'off')}</StatusChip>
        <StatusChip tone={toneOf[action]} dot={false}>
          {t(`actionName.${action}`)}
        </StatusChip>
        {where.map((place) => (
          <StatusChip key={place} tone="neutral" dot={false}>
            {t(`placeName.${place}`)}
          </StatusChip>
        ))}
      </Box>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        {t(`kindName.${kind}`)} · {what}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {rule.groups.length === 0 ? t('allGroups') : rule.groups.map((symbol) => groupName(groups, symbol)).join(', ')}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 2 }}>
        {t('found', { count: found })}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button size="small" variant="outlined" color="inherit" onClick={onEdit} aria-label={t('editOf', { name })}>
          {t('common:edit')}
        </Button>
        <ConfirmButton
          size="small"
          variant="outlined"
          aria-label={t('deleteOf', { name })}
          question={{ title: t('deleteTitle', { name }), text: t('deleteText'), verb: t('common:delete') }}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            notify('success', t('deletedName', { name }));
          }}
        >
          {t('common:delete')}
        </ConfirmButton>
      </Box>
    </SectionCard>
  );
}

const DEFAULT_GROUP = 'default';

function TryCard() {
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
          <Button variant="contained" disabled={text.trim() === '' || known === '' || tryText.isPending} onClick={ask}>
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

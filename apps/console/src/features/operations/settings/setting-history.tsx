import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import {
  type SettingChanges,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingFromText,
  settingNames,
} from '@switchyard/contract/operations/settings';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { historyQuery } from './queries.ts';
import { settingsFrom } from './settings-form-values.ts';

type Change = SettingChanges['changes'][number];

interface SettingHistoryProps {
  open: boolean;
  onClose: () => void;
  /** Undefined for all settings. */
  name: SettingName | undefined;
  /** Callback that enters a value in the form; saving stores it. */
  onRestore: (name: SettingName, value: Settings[SettingName]) => void;
}

const nameOfOption = new Map<string, SettingName>(settingNames.map((name) => [settingDefinitions[name].option, name]));

/** Shows who changed settings, with the old and new values, and can restore a value. */
export function SettingHistory({ open, onClose, name, onRestore }: SettingHistoryProps) {
  const { t } = useTranslation('settings');
  return (
    <DetailDrawer
      open={open}
      onClose={onClose}
      title={name === undefined ? t('history.title') : t('history.titleOf', { label: t(`setting.${name}.label`) })}
    >
      <Entries name={name} onRestore={onRestore} />
    </DetailDrawer>
  );
}

function Entries({ name, onRestore }: Pick<SettingHistoryProps, 'name' | 'onRestore'>) {
  const { t } = useTranslation('settings');
  const option = name === undefined ? undefined : settingDefinitions[name].option;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    historyQuery(option),
  );
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  const entries = data.pages.flatMap((page) => page.data).filter(({ changes }) => changes.length > 0);
  if (entries.length === 0) return <EmptyState>{t('history.none')}</EmptyState>;
  return (
    <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 2 }}>
      {entries.map((entry) => (
        <Box component="li" key={entry.id} sx={{ minWidth: 0 }}>
          <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary', mb: 0.5 }}>
            {entry.username === '' ? t('history.nobody') : entry.username} · <Moment seconds={entry.created_at} />
          </Box>
          <Box sx={{ display: 'grid', gap: 1 }}>
            {entry.changes.map((change) => (
              <ChangeRow key={change.key} change={change} onRestore={onRestore} />
            ))}
          </Box>
        </Box>
      ))}
      {hasNextPage && (
        <Button onClick={() => void fetchNextPage()} loading={isFetchingNextPage} sx={{ justifySelf: 'start' }}>
          {t('history.older')}
        </Button>
      )}
    </Box>
  );
}

function ChangeRow({ change, onRestore }: { change: Change } & Pick<SettingHistoryProps, 'onRestore'>) {
  const { t } = useTranslation('settings');
  const { key, before, after, secret } = change;
  const name = nameOfOption.get(key);
  const label = name === undefined ? key : t(`setting.${name}.label`);
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 1.25, fontSize: '0.8125rem' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Box sx={{ fontWeight: 500, flexGrow: 1 }}>{label}</Box>
        {name !== undefined && before !== null && (
          <Button
            size="small"
            aria-label={t('history.restoreThis', { label })}
            onClick={() => {
              if (fits(name, before)) onRestore(name, settingsFrom([{ key, value: before }])[name]);
              else notify('error', t('history.noLonger', { label }));
            }}
          >
            {t('history.restore')}
          </Button>
        )}
      </Box>
      {secret !== null ? (
        t(`history.secret.${secret}`)
      ) : (
        <Box sx={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', maxHeight: 200, overflowY: 'auto' }}>
          <Box component="del" sx={{ color: 'text.secondary' }}>
            <Value text={before} />
          </Box>
          {' → '}
          <Box component="ins" sx={{ textDecoration: 'none' }}>
            <Value text={after} />
          </Box>
        </Box>
      )}
    </Box>
  );
}

function Value({ text }: { text: string | null }) {
  const { t } = useTranslation('settings');
  if (text === null) return t('history.long');
  return text === '' ? t('history.empty') : <Mono>{text}</Mono>;
}

function fits(name: SettingName, text: string): boolean {
  try {
    settingFromText(name, text);
    return true;
  } catch {
    return false;
  }
}

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import {
  type SettingGroup,
  type SettingName,
  type Settings,
  settingDefinitions,
  settingNames,
} from '@switchyard/contract/operations/settings';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import { Fragment, lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { type Control, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { PageForm } from '../../../ui/form/page-form.tsx';
import { SectionedPage } from '../../../ui/form/sectioned-page.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useSaveSettings } from './queries.ts';
import { settingTopics } from './setting-controls.ts';
import { SettingField } from './setting-field.tsx';
import {
  changedSettings,
  settingGroups,
  settingsSchema,
  withLinkOrder,
  withoutSecrets,
} from './settings-form-values.ts';
import { useSettingErrors } from './use-setting-errors.ts';

const SettingHistory = lazy(() =>
  import('./setting-history.tsx').then(({ SettingHistory }) => ({ default: SettingHistory })),
);

interface SettingsFormProps {
  stored: Settings;
  /** Actions below the settings of a group. */
  footers: SettingFooters;
}

export type SettingFooters = Partial<Record<SettingGroup, ReactNode>>;

export function SettingsForm({ stored, footers }: SettingsFormProps) {
  const { t } = useTranslation(['settings', 'common']);
  const [keyword, setKeyword] = useState('');
  const matches = useMatches(keyword);
  const [saved, setSaved] = useState(stored);
  const save = useSaveSettings();
  const refusal = useSettingErrors();
  const contractForm: ContractForm<Settings> = useContractForm<Settings>({
    schema: settingsSchema,
    values: stored,
    onSubmit: async (values) => {
      const names = changedSettings(saved, values);
      const sent = withLinkOrder(values);
      await save.mutateAsync({ names, values: sent }).catch((error: unknown) => {
        // The search may hide the refused setting.
        setKeyword('');
        throw refusal(error);
      });
      const next = withoutSecrets(sent);
      setSaved(next);
      contractForm.form.reset(next);
      notify('success', t('savedCount', { count: names.length }));
    },
  });
  const { control, formState, setValue } = contractForm.form;
  const [history, setHistory] = useState<{ of: SettingName | undefined; open: boolean }>();
  const showHistory = useCallback((of?: SettingName) => setHistory({ of, open: true }), []);
  const hideHistory = () => setHistory((shown) => shown && { ...shown, open: false });
  const restore = (name: SettingName, value: Settings[SettingName]) => {
    setValue(name, value, { shouldDirty: true, shouldValidate: true });
    hideHistory();
    notify('info', t('history.restored', { label: t(`setting.${name}.label`) }));
  };
  const sections = settingGroups
    .map((group) => ({
      id: group,
      title: t(`group.${group}`),
      names: settingNames.filter((name) => settingDefinitions[name].group === group && matches(name)),
    }))
    .filter(({ names }) => names.length > 0)
    .map((section) => ({ ...section, wrong: section.names.some((name) => formState.errors[name] !== undefined) }));
  return (
    <SectionedPage sections={sections}>
      <Box sx={{ display: 'flex', gap: 1, '& > :first-of-type': { flexGrow: 1 } }}>
        <SettingsSearch value={keyword} onChange={setKeyword} />
        <Button variant="outlined" color="inherit" startIcon={<IconHistory size={18} />} onClick={() => showHistory()}>
          {t('history.open')}
        </Button>
      </Box>
      {history !== undefined && (
        <Suspense fallback={null}>
          <SettingHistory open={history.open} name={history.of} onClose={hideHistory} onRestore={restore} />
        </Suspense>
      )}
      <PageForm form={contractForm} summary={<ChangeCount control={control} saved={saved} />}>
        {sections.map(({ id, title, names }) => (
          <SettingSection
            key={id}
            group={id}
            title={title}
            names={names}
            form={contractForm.form}
            footer={footers[id]}
            onHistory={showHistory}
          />
        ))}
        {sections.length === 0 && <EmptyState>{t('nothingFound')}</EmptyState>}
      </PageForm>
    </SectionedPage>
  );
}

/** Shows the number of changes; separate, so that typing does not render every field again. */
function ChangeCount({ control, saved }: { control: Control<Settings>; saved: Settings }) {
  const { t } = useTranslation('settings');
  const values = useWatch({ control, compute: (now) => now });
  return t('changes', { count: changedSettings(saved, values).length });
}

/** Returns a function that tests whether a setting's label, help or option name contains the keyword. */
function useMatches(keyword: string): (name: SettingName) => boolean {
  const { t } = useTranslation('settings');
  const wanted = keyword.trim().toLowerCase();
  return (name) =>
    [t(`setting.${name}.label`), t(`setting.${name}.help`), settingDefinitions[name].option].some((text) =>
      text.toLowerCase().includes(wanted),
    );
}

function SettingsSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('settings');
  return (
    <OutlinedInput
      type="search"
      value={value}
      placeholder={t('search')}
      inputProps={{ 'aria-label': t('search'), enterKeyHint: 'search' }}
      startAdornment={
        <InputAdornment position="start">
          <IconSearch size={16} />
        </InputAdornment>
      }
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onChange('');
      }}
    />
  );
}

interface SettingSectionProps {
  group: SettingGroup;
  title: string;
  names: readonly SettingName[];
  form: UseFormReturn<Settings>;
  /** Actions below the settings of the group. */
  footer: ReactNode;
  onHistory: (name: SettingName) => void;
}

/** Shows the settings of a group under the headings of their topics. */
function SettingSection({ group, title, names, form, footer, onHistory }: SettingSectionProps) {
  const { t } = useTranslation('settings');
  return (
    <SectionCard id={group} title={title}>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
        {names.map((name, index) => {
          const topic = settingTopics[name];
          const before = names[index - 1];
          const first = topic !== undefined && (before === undefined || settingTopics[before] !== topic);
          return (
            <Fragment key={name}>
              {first && <TopicHeading>{t(`topic.${topic}`)}</TopicHeading>}
              <SettingField form={form} name={name} onHistory={onHistory} />
            </Fragment>
          );
        })}
        {footer}
      </Box>
    </SectionCard>
  );
}

function TopicHeading({ children }: { children: string }) {
  return (
    <Typography
      variant="h4"
      component="h3"
      sx={{ fontSize: '0.875rem', fontWeight: 500, pt: 2, borderTop: 1, borderColor: 'divider' }}
    >
      {children}
    </Typography>
  );
}

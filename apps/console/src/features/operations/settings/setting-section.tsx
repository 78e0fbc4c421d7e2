import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { SettingGroup, SettingName, Settings } from '@switchyard/contract/operations/settings';
import { Fragment, type ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { settingTopics } from './setting-controls.ts';
import { SettingField } from './setting-field.tsx';

interface SettingSectionProps {
  group: SettingGroup;
  title: string;
  names: readonly SettingName[];
  form: UseFormReturn<Settings>;
  /** Content for actions on the group, below its settings. */
  footer: ReactNode;
  onHistory: (name: SettingName) => void;
}

/** The settings of a group under the headings of their topics. */
export function SettingSection({ group, title, names, form, footer, onHistory }: SettingSectionProps) {
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

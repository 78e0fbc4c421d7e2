import Box from '@mui/material/Box';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import type { BotState } from '@switchyard/contract/operations/telegram';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { Help } from '../../../ui/form/field-help.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { settingsQuery, useSaveSettings } from '../settings/queries.ts';

/** Shows whether the bot is connected, its mode and its last error. */
export function BotStateCard({ state }: { state: BotState }) {
  const { t } = useTranslation('telegram');
  const format = useFormat();
  if (!state.set_up)
    return (
      <SectionCard>
        <Box sx={row}>
          <Typography sx={{ flexGrow: 1, color: 'text.secondary' }}>{t('state.notSetUp')}</Typography>
          <LinkButton to="/panel/setting" hash="sign-in" variant="outlined">
            {t('state.toSettings')}
          </LinkButton>
        </Box>
      </SectionCard>
    );
  return (
    <SectionCard>
      <Box sx={row}>
        <StatusChip tone={state.status ? 'success' : 'error'}>
          {t(state.status ? 'state.online' : 'state.offline')}
        </StatusChip>
        <Fact name={t('state.bot')}>{state.bot === '' ? UNKNOWN : `@${state.bot}`}</Fact>
        <Fact name={t('state.mode')}>{t(state.is_webhook ? 'state.webhook' : 'state.polling')}</Fact>
        <Fact name={t('state.lastContact')}>
          <Moment seconds={state.last_contact} />
        </Fact>
        <Fact name={t('state.pending')}>{format.number(state.pending)}</Fact>
        {state.last_error !== '' && (
          <Fact name={t('state.lastError')}>
            {state.last_error} · <Moment seconds={state.last_error_time} />
          </Fact>
        )}
        <Box sx={{ flexGrow: 1 }} />
        <ModeSwitch />
      </Box>
    </SectionCard>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 4, rowGap: 1.5 };

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Box sx={{ fontSize: '0.8125rem', minWidth: 0, overflowWrap: 'anywhere' }}>
      <Box sx={{ color: 'text.secondary' }}>{name}</Box>
      {children}
    </Box>
  );
}

/** Edits the setting that the settings page has too. */
function ModeSwitch() {
  const { t } = useTranslation(['telegram', 'settings']);
  const id = useId();
  const { data: settings } = useQuery(settingsQuery);
  const { mutate, isPending } = useSaveSettings();
  const notifyError = useNotifyError();
  if (settings === undefined) return null;
  const needsAddress = settings.serverAddress === '' && !settings.telegramWebhook;
  const choose = (telegramWebhook: boolean) =>
    mutate({ names: ['telegramWebhook'], values: { ...settings, telegramWebhook } }, { onError: notifyError });
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 40 }}>
      <Switch
        id={id}
        checked={settings.telegramWebhook}
        disabled={isPending || needsAddress}
        onChange={(_, checked) => choose(checked)}
      />
      <Box component="label" htmlFor={id} sx={{ fontSize: '0.875rem' }}>
        {t('settings:setting.telegramWebhook.label')}
      </Box>
      <Help text={t('settings:setting.telegramWebhook.help')} />
      {needsAddress && <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>{t('state.needsAddress')}</Box>}
    </Box>
  );
}

import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import type { Channel } from '@switchyard/contract/channels/channels';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { UsageBar } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useCapabilityName } from '../../../ui/product/routing-decision-text.ts';
import { groupName, useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { useProviders } from '../queries.ts';
import { ProviderLabel, ResponseTime, SpentAndLeft } from './channel-chips-and-figures.tsx';
import { useOptionName } from './provider-and-option-names.ts';
import { useChannelActions } from './use-channel-actions.ts';

/** Shows a channel's figures and the settings that differ from their defaults. */
export function ChannelFacts({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const groups = useGroupOptions();
  const facts: [string, ReactNode][] = [
    [t('type'), <ProviderLabel key="type" id={channel.provider} />],
    [t('groups'), channel.group.map((symbol) => isolateBidi(groupName(groups, symbol))).join(', ')],
    [t('key'), <Keys key="key" channel={channel} />],
    [t('spentLeft'), <Balance key="left" channel={channel} />],
    [
      t('response'),
      <span key="response">
        <ResponseTime channel={channel} />
        {channel.test_time > 0 && (
          <>
            {' · '}
            <Moment seconds={channel.test_time} />
          </>
        )}
      </span>,
    ],
    [
      `${t('priority')} / ${t('weight')}`,
      t('priorityAndWeight', { priority: channel.priority, weight: channel.weight }),
    ],
  ];
  return (
    <DescriptionList
      facts={[
        ...facts,
        ...useUnusualFacts(channel),
        [t('created'), <Moment key="made" seconds={channel.created_time} />],
      ]}
    />
  );
}

function useUnusualFacts(channel: Channel): [string, ReactNode][] {
  const { t } = useTranslation('channels');
  const optionName = useOptionName();
  const capabilityName = useCapabilityName();
  const mono = (text: string) => <Mono key={text}>{text}</Mono>;
  const headers = Object.keys(channel.model_headers);
  const mapping = Object.entries(channel.model_mapping);
  const facts: [boolean, string, ReactNode][] = [
    [channel.base_url !== '', t('baseUrl'), mono(channel.base_url)],
    ...Object.entries(channel.options).map(([name, value]): [boolean, string, ReactNode] => [
      value !== '',
      optionName(name),
      mono(value),
    ]),
    [channel.tag !== '', t('tag'), channel.tag],
    [channel.test_model !== '', t('testModel'), mono(channel.test_model)],
    [mapping.length > 0, t('mapping'), mapping.map(([from, to]) => <div key={from}>{mono(`${from} → ${to}`)}</div>)],
    [headers.length > 0, t('headers'), mono(headers.join(', '))],
    [channel.proxy !== '', t('proxy'), mono(channel.proxy)],
    ...(['day', 'month'] as const).map((period): [boolean, string, ReactNode] => [
      channel.caps[period] !== null,
      t(`caps.${period}`),
      <CapUse key={period} used={channel.spent[period]} cap={channel.caps[period] ?? 0} />,
    ]),
    [channel.only_chat, t('onlyChat'), t('onlyChatHint')],
    [channel.held_prompt !== 'all', t('heldPrompt'), t(`heldPromptOf.${channel.held_prompt}`)],
    [channel.lacks.length > 0, t('lacks'), channel.lacks.map(capabilityName).join(', ')],
  ];
  return facts.filter(([unusual]) => unusual).map(([, name, value]) => [name, value]);
}

function CapUse({ used, cap }: { used: number; cap: number }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const label = t('caps.use', { used: format.points(used), cap: format.points(cap) });
  return <UsageBar used={used} left={cap - used} label={label} />;
}

function Keys({ channel: { key_hint, key_count, keys_out } }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  if (key_count > 1)
    return keys_out === 0
      ? t('keys.count', { count: key_count })
      : t('keys.countInUse', { count: key_count, used: key_count - keys_out });
  return key_hint === '' ? UNKNOWN : <Mono>…{key_hint}</Mono>;
}

function Balance({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channels');
  const { refreshBalance } = useChannelActions();
  const provider = useProviders().find(({ id }) => id === channel.provider);
  return (
    <>
      <SpentAndLeft channel={channel} />
      {provider?.can_read_balance === true && (
        <Tooltip title={t('refreshBalance')}>
          <IconButton
            size="small"
            aria-label={t('refreshBalance')}
            onClick={() => void refreshBalance(channel)}
            sx={{ my: -0.75, ml: 0.5 }}
          >
            <IconRefresh size={15} />
          </IconButton>
        </Tooltip>
      )}
    </>
  );
}

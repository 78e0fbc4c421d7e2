import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import CircularProgress from '@mui/material/CircularProgress';
import type { Channel } from '@switchyard/contract/channels/channels';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ProviderLogo } from '../../../ui/product/provider-logo.tsx';
import { type CellOutcome, callable, outcomeOf } from './test-selection-and-outcomes.ts';
import type { TestState } from './use-test-run.ts';

export interface ChosenCell {
  channel: Channel;
  /** Empty for the channel's test model, whichever it is. */
  model: string;
}

interface TestMatrixProps {
  channels: readonly Channel[];
  /** Models of the columns; empty for one column with each channel's test model. */
  models: readonly string[];
  states: readonly TestState[];
  onlyFailed: boolean;
  chosen: ChosenCell | undefined;
  onChoose: (cell: ChosenCell) => void;
}

/** Shows the outcome by channel and model; the column of channel names stays visible. */
export function TestMatrix({ channels, models, states, onlyFailed, chosen, onChoose }: TestMatrixProps) {
  const { t } = useTranslation('channels');
  const statesOf = (channel: Channel, model: string) => cellStates(states, { channel, model });
  const failed = (channel: Channel, model: string) => outcomeOf(statesOf(channel, model)) === 'failed';
  const columns = models.length === 0 ? [''] : models;
  const shownColumns = onlyFailed
    ? columns.filter((model) => channels.some((channel) => failed(channel, model)))
    : columns;
  const shown = onlyFailed ? channels.filter((channel) => columns.some((model) => failed(channel, model))) : channels;
  return (
    <Box sx={{ overflow: 'auto', maxHeight: '46vh' }}>
      <Box
        component="table"
        aria-label={t('tests.results')}
        sx={{
          borderCollapse: 'collapse',
          fontSize: '0.8125rem',
          '& th, & td': { px: 1, py: 0.75, textAlign: 'start' },
        }}
      >
        <thead>
          <tr>
            <Box component="th" scope="col" sx={{ ...sticky, zIndex: 1 }}>
              {t('tests.channel')}
            </Box>
            {shownColumns.map((model) => (
              <Box
                component="th"
                scope="col"
                key={model}
                sx={{ minWidth: 96, maxWidth: 140, overflowWrap: 'anywhere' }}
              >
                {model === '' ? t('tests.testModel') : <Mono>{model}</Mono>}
              </Box>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((channel) => (
            <Box component="tr" key={channel.id} sx={{ borderTop: 1, borderColor: 'divider' }}>
              <Box component="th" scope="row" sx={{ ...sticky, fontWeight: 400 }}>
                <Box component="span" sx={{ display: 'flex', alignItems: 'center', gap: 1, overflowWrap: 'anywhere' }}>
                  <ProviderLogo provider={channel.provider} size={16} />
                  <Name id={channel.id}>{channel.name}</Name>
                </Box>
              </Box>
              {shownColumns.map((model) => (
                <td key={model}>
                  {(model === '' || callable(channel).includes(model)) && (
                    <Cell
                      channel={channel}
                      states={statesOf(channel, model)}
                      model={model}
                      chosen={chosen?.channel.id === channel.id && chosen.model === model}
                      onChoose={() => onChoose({ channel, model })}
                    />
                  )}
                </td>
              ))}
            </Box>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}

export function cellStates(states: readonly TestState[], { channel, model }: ChosenCell): TestState[] {
  return states.filter((state) => state.channelId === channel.id && (model === '' || state.model === model));
}

const sticky = { position: 'sticky', left: 0, minWidth: 112, maxWidth: 200, bgcolor: 'background.raised' } as const;

const colours: Record<CellOutcome, string> = {
  waiting: 'text.secondary',
  running: 'text.secondary',
  passed: 'success.main',
  failed: 'error.main',
  'not-applicable': 'text.secondary',
};

interface CellProps {
  channel: Channel;
  model: string;
  states: readonly TestState[];
  chosen: boolean;
  onChoose: () => void;
}

function Cell({ channel, model, states, chosen, onChoose }: CellProps) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const outcome = outcomeOf(states);
  const tested = model === '' ? (states[0]?.model ?? t('tests.testModel')) : model;
  const durations = states.flatMap(({ result }) => (result?.outcome === 'passed' ? [result.duration] : []));
  return (
    <ButtonBase
      onClick={onChoose}
      disabled={states.length === 0}
      aria-pressed={chosen}
      aria-label={t('tests.cell', { model: tested, channel: channel.name, outcome: t(`tests.outcome.${outcome}`) })}
      sx={{
        gap: 0.5,
        px: 0.75,
        minHeight: 32,
        borderRadius: 1,
        fontSize: '0.8125rem',
        color: colours[outcome],
        bgcolor: chosen ? 'primary.soft' : 'transparent',
      }}
    >
      <Mark outcome={outcome} />
      {outcome === 'passed' && format.duration(Math.max(...durations))}
    </ButtonBase>
  );
}

function Mark({ outcome }: { outcome: CellOutcome }) {
  if (outcome === 'running') return <CircularProgress size={14} aria-hidden />;
  if (outcome === 'passed') return <IconCheck size={16} />;
  if (outcome === 'failed') return <IconX size={16} />;
  return <IconMinus size={16} />;
}

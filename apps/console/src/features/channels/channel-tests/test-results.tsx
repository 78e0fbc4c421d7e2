import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { freeProbes, type StoredTest, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { FailureExplanation } from './failure-explanation.tsx';

/** Test to show; it is running while it has no result. */
export interface ShownTest {
  result: Pick<StoredTest, 'outcome' | 'duration' | 'problem' | 'message'> | undefined;
}

const look = { display: 'inline-flex', alignItems: 'center', gap: 0.75, minWidth: 0 } as const;

export function TestResult({ state }: { state: ShownTest | undefined }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  if (state === undefined) return null;
  const { result } = state;
  if (result === undefined) {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        <CircularProgress size={14} aria-label={t('test.running')} />
        {t('test.running')}
      </Box>
    );
  }
  if (result.outcome === 'passed') {
    return (
      <Box component="span" sx={{ ...look, color: 'success.main' }}>
        <IconCheck size={16} />
        {format.duration(result.duration)}
      </Box>
    );
  }
  if (result.outcome === 'not-applicable') {
    return (
      <Box component="span" sx={{ ...look, color: 'text.secondary' }}>
        <IconMinus size={16} />
        {t('tests.outcome.not-applicable')}
      </Box>
    );
  }
  return (
    <Box sx={{ ...look, alignItems: 'flex-start', color: 'error.main' }}>
      <IconX size={16} style={{ flexShrink: 0, marginTop: 1 }} />
      <FailureExplanation problem={result.problem} message={result.message} />
    </Box>
  );
}

const tones: Record<StoredTest['outcome'], Tone> = { passed: 'success', failed: 'error', 'not-applicable': 'neutral' };
const MICRO_USD = 1_000_000;

type FreeKind = (typeof freeProbes)[number];
const isFree = (kind: TestProbe): kind is FreeKind => freeProbes.some((free) => free === kind);

/** Lists test results with duration and usage; failures also with a remedy. */
export function TestResultList({ tests }: { tests: readonly StoredTest[] }) {
  return (
    <Box component="ul" sx={{ display: 'grid', gap: 1, m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
      {tests.map((test) => (
        <Found key={`${test.kind} ${test.model}`} test={test} />
      ))}
    </Box>
  );
}

function Found({ test }: { test: StoredTest }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const { kind, outcome, problem, message, finding, duration, first_content_time, cost_micro_usd } = test;
  const facts = [
    ...(duration > 0 ? [format.duration(duration)] : []),
    ...(first_content_time === null
      ? []
      : [t('health.firstContent', { duration: format.duration(first_content_time) })]),
    ...(cost_micro_usd === null ? [] : [format.usd(cost_micro_usd / MICRO_USD)]),
  ];
  return (
    <Box component="li" sx={{ display: 'grid', gap: 0.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, rowGap: 0.25 }}>
        <StatusChip tone={tones[outcome]} dot={false}>
          {t(`tests.outcome.${outcome}`)}
        </StatusChip>
        <span>{t(`tests.kind.${kind}`)}</span>
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {facts.map((fact) => `${fact} · `).join('')}
          <Moment seconds={test.tested_at} />
        </Box>
      </Box>
      {outcome !== 'passed' && <FailureExplanation problem={problem} message={message} finding={finding} />}
      {outcome === 'passed' && isFree(kind) && (
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {t(`tests.proves.${kind}`)}
        </Box>
      )}
    </Box>
  );
}

import Box from '@mui/material/Box';
import { freeProbes, type StoredTest, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { FailureExplanation } from './failure-explanation.tsx';

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

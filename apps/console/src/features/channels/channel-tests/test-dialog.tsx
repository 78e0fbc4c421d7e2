import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import type { TestPlan } from '@switchyard/contract/channels/channel-tests';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChipButton } from '../../../ui/actions/chip-button.tsx';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { useChannelActions } from '../list/use-channel-actions.ts';
import { testEstimateQuery } from '../queries.ts';
import { type ChosenCell, cellStates, TestMatrix } from './test-matrix.tsx';
import { TestResultList } from './test-results.tsx';
import {
  callable,
  countTests,
  failedPlans,
  type KindChoice,
  kindChoices,
  kindsOf,
  type ModelChoice,
  modelChoices,
} from './test-selection-and-outcomes.ts';
import { useTestRun } from './use-test-run.ts';

interface TestDialogProps {
  channels: readonly Channel[];
  onClose: () => void;
}

const MICRO_USD = 1_000_000;

/** Tests channels and their models after an estimate of the cost, and shows each result as it arrives. */
export function TestDialog({ channels, onClose }: TestDialogProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const [which, setWhich] = useState<ModelChoice>('test-model');
  const [how, setHow] = useState<KindChoice>('short');
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [chosen, setChosen] = useState<ChosenCell>();
  const { states, running, failure, run, stop, clear } = useTestRun();
  const { setStatus } = useChannelActions();
  const all = [...states.values()];
  const done = all.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const failed = done.filter(({ outcome }) => outcome === 'failed');
  const failedIds = new Set(failed.map(({ channel_id }) => channel_id));
  const toDisable = channels.filter(({ id, status }) => status === 'enabled' && failedIds.has(id));
  const plan: TestPlan = { channels: { ids: channels.map(({ id }) => id) }, models: which, kinds: kindsOf(how) };
  const models = which === 'all' ? [...new Set(channels.flatMap(callable))].toSorted() : [];
  const total = countTests(channels, which, how);
  const start = () => {
    clear();
    setChosen(undefined);
    setOnlyFailed(false);
    void run([plan]);
  };
  const choose = (change: () => void) => {
    stop();
    clear();
    setChosen(undefined);
    change();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="md" fullWidth>
      <DialogTitle id={titleId}>{t('test.title', { count: channels.length })}</DialogTitle>
      <Box sx={{ display: 'grid', gap: 1, px: 3, pb: 1.5 }}>
        <ChoiceRow
          label={t('tests.which')}
          value={which}
          options={toOptions(modelChoices, (value) => t(`tests.whichOf.${value}`))}
          onChange={(value) => choose(() => setWhich(value))}
        />
        <ChoiceRow
          label={t('tests.how')}
          value={how}
          options={toOptions(kindChoices, (value) => t(`tests.howOf.${value}`))}
          onChange={(value) => choose(() => setHow(value))}
        />
        <Estimate plan={plan} />
        {failure !== '' && <FormError text={failure} />}
      </Box>
      <LinearProgress
        variant="determinate"
        value={Math.min(100, (done.length / Math.max(1, total)) * 100)}
        aria-label={t('test.progress')}
      />
      <DialogContent
        sx={{
          display: 'grid',
          gridTemplateColumns: 'minmax(0, 1fr)',
          gridAutoRows: 'max-content',
          gap: 1.5,
          px: { xs: 1, sm: 2 },
        }}
      >
        <TestMatrix
          channels={channels}
          models={models}
          states={all}
          onlyFailed={onlyFailed}
          chosen={chosen}
          onChoose={setChosen}
        />
        {chosen !== undefined && (
          <Chosen cell={chosen} results={cellStates(all, chosen).flatMap(({ result }) => result ?? [])} />
        )}
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap', rowGap: 1 }}>
        <Box aria-live="polite" sx={{ flexGrow: 1, pl: 2, fontSize: '0.8125rem', color: 'text.secondary' }}>
          {done.length > 0 &&
            t('test.summary', {
              passed: done.filter(({ outcome }) => outcome === 'passed').length,
              failed: failed.length,
            })}
        </Box>
        {(failed.length > 0 || onlyFailed) && (
          <ChipButton chosen={onlyFailed} aria-pressed={onlyFailed} onClick={() => setOnlyFailed(!onlyFailed)}>
            {t('tests.onlyFailed')}
          </ChipButton>
        )}
        {!running && toDisable.length > 0 && (
          <Button color="error" onClick={() => void setStatus(toDisable, 'disabled').then(onClose)}>
            {t('test.disableFailed', { count: toDisable.length })}
          </Button>
        )}
        {!running && failed.length > 0 && (
          <Button color="inherit" onClick={() => void run(failedPlans(all))}>
            {t('tests.rerunFailed')}
          </Button>
        )}
        <Button color="inherit" onClick={onClose}>
          {t('common:close')}
        </Button>
        {running ? (
          <Button variant="contained" onClick={stop}>
            {t('test.stop')}
          </Button>
        ) : (
          <Button variant="contained" onClick={start}>
            {t(done.length === 0 ? 'tests.start' : 'test.again')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function Estimate({ plan }: { plan: TestPlan }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const sentence = useErrorText();
  const { data: estimate, error } = useQuery(testEstimateQuery(plan));
  if (error !== null) return <FormError text={sentence(error)} />;
  return (
    <Box aria-live="polite" sx={{ minHeight: 20, fontSize: '0.8125rem', color: 'text.secondary' }}>
      {estimate !== undefined &&
        t('tests.estimate', { count: estimate.requests, cost: format.usd(estimate.cost_micro_usd / MICRO_USD) })}
      {estimate !== undefined && estimate.unpriced > 0 && ` ${t('tests.unpriced', { count: estimate.unpriced })}`}
    </Box>
  );
}

function Chosen({ cell, results }: { cell: ChosenCell; results: Parameters<typeof TestResultList>[0]['tests'] }) {
  return (
    <Box component="section" sx={{ p: 1.5, borderRadius: 1, bgcolor: 'neutral.soft' }}>
      <Box sx={{ mb: 1, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
        {cell.channel.name} · <Mono>{results[0]?.model ?? cell.model}</Mono>
      </Box>
      <TestResultList tests={results} />
    </Box>
  );
}

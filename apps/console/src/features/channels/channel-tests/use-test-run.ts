import type { StoredTest, TestPlan, TestProbe } from '@switchyard/contract/channels/channel-tests';
import type { ChannelId } from '@switchyard/contract/ids';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { streamTests, useRefreshChannels } from '../queries.ts';

export interface TestCell {
  channelId: ChannelId;
  model: string;
  kind: TestProbe;
}

/** Test that has started; it is running while it has no result. */
export interface TestState extends TestCell {
  result: StoredTest | undefined;
}

export const testKey = ({ channelId, model, kind }: TestCell): string => `${channelId} ${kind} ${model}`;

/** Runs tests on the server and reports each result as it arrives, until the component unmounts. */
export function useTestRun() {
  const { t } = useTranslation('channels');
  const sentence = useErrorText();
  const refresh = useRefreshChannels();
  const [states, setStates] = useState<ReadonlyMap<string, TestState>>(new Map());
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState('');
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const note = (state: TestState) => setStates((before) => new Map(before).set(testKey(state), state));
  const forgetUnfinished = () =>
    setStates((before) => new Map([...before].filter(([, { result }]) => result !== undefined)));

  const runOne = async (plan: TestPlan, signal: AbortSignal): Promise<boolean> => {
    for await (const event of streamTests(plan, signal)) {
      if (event.event === 'end') return true;
      const { channel_id: channelId, model, kind } = event.event === 'result' ? event.result : event;
      note({ channelId, model, kind, result: event.event === 'result' ? event.result : undefined });
    }
    return false;
  };

  /** Runs the plans in sequence. */
  const run = async (plans: readonly TestPlan[]) => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    setRunning(true);
    setFailure('');
    try {
      for (const plan of plans)
        if (!(await runOne(plan, controller.signal)) && !controller.signal.aborted) setFailure(t('tests.cut'));
    } catch (error) {
      if (!controller.signal.aborted) setFailure(sentence(error));
    }
    if (abort.current !== controller) return;
    setRunning(false);
    forgetUnfinished();
    await refresh();
  };

  const stop = () => {
    abort.current?.abort();
  };
  const clear = () => setStates(new Map());
  return { states, running, failure, run, stop, clear };
}

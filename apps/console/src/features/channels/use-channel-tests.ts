import type { ChannelId } from '@switchyard/contract/ids';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useErrorSentence } from '../../ui/error-sentence.ts';
import { testChannel, useRefreshChannels } from './queries.ts';

export interface TestTask {
  id: ChannelId;
  /** Left out: the channel's own test model. */
  model?: string;
}

export type TestState =
  | { step: 'waiting' }
  | { step: 'running' }
  | { step: 'passed'; duration: number; model: string }
  | { step: 'failed'; message: string };

export const taskKey = ({ id, model = '' }: TestTask): string => `${id} ${model}`;

/**
 * Tests one after the other, so that a vendor's rate limit is not what the tests find, and tells each result as it
 * comes. Leaving the screen stops it.
 */
export function useChannelTests() {
  const sentence = useErrorSentence();
  const refresh = useRefreshChannels();
  const [states, setStates] = useState<ReadonlyMap<string, TestState>>(new Map());
  const [running, setRunning] = useState(false);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const note = useCallback((task: TestTask, state: TestState) => {
    setStates((before) => new Map(before).set(taskKey(task), state));
  }, []);

  const runOne = async (task: TestTask, signal: AbortSignal) => {
    note(task, { step: 'running' });
    try {
      const { success, duration, model, message } = await testChannel(task.id, task.model, signal);
      note(task, success ? { step: 'passed', duration, model } : { step: 'failed', message });
    } catch (error) {
      if (!signal.aborted) note(task, { step: 'failed', message: sentence(error) });
    }
  };

  const run = async (tasks: readonly TestTask[]) => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    setStates((before) => {
      const kept = [...before].filter(([, { step }]) => step === 'passed' || step === 'failed');
      return new Map([...kept, ...tasks.map((task) => [taskKey(task), { step: 'waiting' }] as const)]);
    });
    setRunning(true);
    for (const task of tasks) {
      if (controller.signal.aborted) break;
      await runOne(task, controller.signal);
    }
    if (abort.current === controller) setRunning(false);
    await refresh();
  };

  const stop = () => {
    abort.current?.abort();
    setRunning(false);
    setStates(
      (before) => new Map([...before].filter(([, { step }]) => step === 'passed' || step === 'failed')),
    );
  };
  return { states, running, run, stop };
}

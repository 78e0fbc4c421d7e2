import type { ChannelId } from '@switchyard/contract/ids';
import { useEffect, useRef, useState } from 'react';
import { useErrorSentence } from '../../ui/error-sentence.ts';
import { testKey, useRefreshChannels } from './queries.ts';
import type { TestState } from './use-channel-tests.ts';

/** Tests single keys of a channel with its test model. Leaving the screen stops it. */
export function useKeyTests(id: ChannelId) {
  const sentence = useErrorSentence();
  const refresh = useRefreshChannels();
  const [states, setStates] = useState<ReadonlyMap<string, TestState>>(new Map());
  const abort = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    abort.current = controller;
    return () => controller.abort();
  }, []);

  const test = async (key: string) => {
    const { signal } = abort.current;
    const note = (state: TestState) => setStates((before) => new Map(before).set(key, state));
    note({ step: 'running' });
    try {
      const { success, duration, model, message } = await testKey(id, key, signal);
      note(success ? { step: 'passed', duration, model } : { step: 'failed', message });
    } catch (error) {
      if (!signal.aborted) note({ step: 'failed', message: sentence(error) });
    }
    await refresh();
  };
  return { states, test };
}

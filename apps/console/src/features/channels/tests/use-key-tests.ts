import type { ChannelId } from '@switchyard/contract/ids';
import { useEffect, useRef, useState } from 'react';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { testKey, useRefreshChannels } from '../queries.ts';
import type { ShownTest } from './test-result.tsx';

/** Tests single keys of a channel with its test model, until the component unmounts. */
export function useKeyTests(id: ChannelId) {
  const sentence = useErrorText();
  const refresh = useRefreshChannels();
  const [states, setStates] = useState<ReadonlyMap<string, ShownTest>>(new Map());
  const abort = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    abort.current = controller;
    return () => controller.abort();
  }, []);

  const test = async (key: string) => {
    const { signal } = abort.current;
    const note = (result: ShownTest['result']) => setStates((before) => new Map(before).set(key, { result }));
    note(undefined);
    try {
      const { success, ...found } = await testKey(id, key, signal);
      note({ ...found, outcome: success ? 'passed' : 'failed' });
    } catch (error) {
      if (!signal.aborted) note({ outcome: 'failed', duration: 0, problem: null, message: sentence(error) });
    }
    await refresh();
  };
  return { states, test };
}

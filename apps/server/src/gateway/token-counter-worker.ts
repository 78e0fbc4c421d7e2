/** The thread's side of `token-counter.ts`. */
import { parentPort } from 'node:worker_threads';
import type { Countable } from '@switchyard/relay';
import { countTokens } from '@switchyard/relay/count-tokens';

export interface CountRequest {
  id: number;
  countable: Countable;
}
export interface CountAnswer {
  id: number;
  prompt: number;
  answer: number;
}

parentPort?.on('message', async ({ id, countable }: CountRequest) => {
  const { encoding, prompt, promptOther, answer } = countable;
  const [promptTokens = 0, answerTokens = 0] = await countTokens(encoding, [prompt, answer]);
  const counted: CountAnswer = { id, prompt: promptTokens + promptOther, answer: answerTokens };
  parentPort?.postMessage(counted);
});

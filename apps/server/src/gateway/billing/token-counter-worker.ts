/** Worker side of `token-counter.ts`: counts one slice at a time. */
import { parentPort } from 'node:worker_threads';
import type { TokenizerInput } from '@switchyard/relay';
import { countTokens } from '@switchyard/relay/count-tokens';

export interface TextSlice extends Pick<TokenizerInput, 'encoding'> {
  text: string;
}

parentPort?.on('message', async ({ encoding, text }: TextSlice) => {
  parentPort?.postMessage(await countTokens(encoding, text));
});

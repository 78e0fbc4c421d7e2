import { errorCodes } from '../errors/error-codes.ts';
import type { Quirk } from '../model/provider.ts';
import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { effortIsSwitch, ofModels, oneChoice, spells } from '../provider-kit/quirks.ts';

/** Pictures are counted by another word. https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
const pictureCount: Quirk = (body, target, dropped, format) =>
  (format === 'openai-images' ? spells('n', 'batch_size') : oneChoice)(body, target, dropped, format);

/** Abroad `https://api.siliconflow.com`. https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions */
export const siliconflow = openaiCompatible({
  id: 'siliconflow',
  label: 'SiliconFlow',
  channelType: 45,
  website: 'https://cloud.siliconflow.cn',
  baseUrl: 'https://api.siliconflow.cn',
  surfaces: [
    'openai-chat',
    'anthropic-messages',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'openai-transcription',
    'rerank',
  ],
  testModel: 'Qwen/Qwen3-8B',
  quirks: [
    spells('size', 'image_size'),
    pictureCount,
    // Others answer 400.
    ofModels(/\/(Qwen3-\d+(\.\d+)?B|Qwen3-\d+B-A\d+B|GLM-4\.[56]|DeepSeek-V3\.[12])/, effortIsSwitch),
  ],
  // https://docs.siliconflow.cn/cn/faqs/error-code
  readError: errorCodes({ 20012: 'garbled', 30001: 'out-of-credit', 30003: 'garbled' }),
});

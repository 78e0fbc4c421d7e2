import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { forModels, limitToOneChoice, mapEffortToSwitch, renameField } from '../provider-kit/shared-vendor-quirks.ts';

/** Renames the number of images. https://docs.siliconflow.cn/cn/api-reference/images/images-generations */
const renameImageCount: Quirk = (body, target, dropped, format) =>
  (format === 'openai-images' ? renameField('n', 'batch_size') : limitToOneChoice)(body, target, dropped, format);

/**
 * SiliconFlow. Outside China: `https://api.siliconflow.com`.
 * https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions
 */
export const siliconflow = createOpenaiCompatible({
  id: 'siliconflow',
  label: 'SiliconFlow',
  channelType: 45,
  website: 'https://cloud.siliconflow.cn',
  baseUrl: 'https://api.siliconflow.cn',
  endpointTypes: [
    'openai-chat',
    'anthropic-messages',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'openai-transcription',
    'rerank',
  ],
  testModel: 'Qwen/Qwen3-8B',
  // Billed by the image, whatever its steps. https://siliconflow.cn/pricing
  imageOptions: { free: ['num_inference_steps', 'cfg', 'image2', 'image3'] },
  quirks: [
    renameField('size', 'image_size'),
    renameImageCount,
    // Other models respond with 400.
    forModels(/\/(Qwen3-\d+(\.\d+)?B|Qwen3-\d+B-A\d+B|GLM-4\.[56]|DeepSeek-V3\.[12])/, mapEffortToSwitch),
  ],
  // https://docs.siliconflow.cn/cn/faqs/error-code
  readError: createErrorCodeReader({ 20012: 'garbled', 30001: 'out-of-credit', 30003: 'garbled' }),
});
